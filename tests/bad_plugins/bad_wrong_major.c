/* Built for a future ABI. */
#define ENTRY_MAJOR 99
#include "tests/bad_plugins/plain_plugin.h"
