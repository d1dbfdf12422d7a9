/* An entry without describe(). */
#define ENTRY_DESCRIBE NULL
#include "tests/bad_plugins/plain_plugin.h"
