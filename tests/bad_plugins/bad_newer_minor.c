/* Cannot do without functions of a newer host. */
#define ENTRY_MIN_HOST_MINOR 99
#include "tests/bad_plugins/plain_plugin.h"
