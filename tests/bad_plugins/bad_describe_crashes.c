/* Crashes as soon as it is asked what it is. */
#define ENTRY_DESCRIBE describe_and_crash
#include <signal.h>
#include <stddef.h>

#include <jobhost/abi.h>

static const jobhost_plugin* describe_and_crash(const jobhost_error** error) {
    (void)error;
    raise(SIGSEGV);
    return NULL;
}
#include "tests/bad_plugins/plain_plugin.h"
