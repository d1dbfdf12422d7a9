/* Calls a function that no library has. */
#define TYPE_RUN function_that_nobody_defines
#include <jobhost/abi.h>

jobhost_status function_that_nobody_defines(void* self, const jobhost_job_type* type,
                                            const jobhost_job* job, const jobhost_run* run);
#include "tests/bad_plugins/plain_plugin.h"
