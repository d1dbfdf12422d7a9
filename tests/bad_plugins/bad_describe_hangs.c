/* Never says what it is. */
#define ENTRY_DESCRIBE describe_and_hang
#include <unistd.h>

#include <jobhost/abi.h>

static const jobhost_plugin* describe_and_hang(const jobhost_error** error) {
    (void)error;
    for (;;) pause();
}
#include "tests/bad_plugins/plain_plugin.h"
