/* Nothing is wrong with this one. */
#define PLUGIN_NAME "tiny"
#include "tests/bad_plugins/plain_plugin.h"
