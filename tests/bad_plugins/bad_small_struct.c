/* An entry that is smaller than the first version ever was. */
#define ENTRY_SIZE 16
#include "tests/bad_plugins/plain_plugin.h"
