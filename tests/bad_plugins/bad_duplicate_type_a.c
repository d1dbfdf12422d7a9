/* Right by itself, but its type is also in the other one. */
#define PLUGIN_NAME "first"
#define TYPE_NAME "shared.job"
#include "tests/bad_plugins/plain_plugin.h"
