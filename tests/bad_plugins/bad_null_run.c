/* A job type without a function. */
#define TYPE_RUN NULL
#include "tests/bad_plugins/plain_plugin.h"
