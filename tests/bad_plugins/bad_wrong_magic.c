/* The symbol has the right name, but is something else. */
#define ENTRY_MAGIC 0x1234
#include "tests/bad_plugins/plain_plugin.h"
