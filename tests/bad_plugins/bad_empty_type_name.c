/* A job type without a name. */
#define TYPE_NAME ""
#include "tests/bad_plugins/plain_plugin.h"
