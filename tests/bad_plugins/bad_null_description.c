/* describe() answers nothing and says nothing. */
#define ENTRY_DESCRIBE describe_nothing
#include <stddef.h>

#include <jobhost/abi.h>

static const jobhost_plugin* describe_nothing(const jobhost_error** error) {
    (void)error;
    return NULL;
}
#include "tests/bad_plugins/plain_plugin.h"
