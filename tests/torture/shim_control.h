#pragma once

/* What the test tells the shim in a process, through a file that both have mapped. C and C++; read
   and written without locks, one word at a time. */

#include <stdint.h>

enum torture_at_commit {
    TORTURE_GO_ON = 0,
    TORTURE_STOP = 1, /* the process stops itself inside its next write transaction, once */
    TORTURE_DIE = 2   /* it kills itself there */
};

struct torture_control {
    int64_t clock_offset_us; /* added to the time of day; never to the steady clock */
    int64_t sync_delay_us;   /* before each fsync and fdatasync */
    int64_t at_commit;       /* torture_at_commit */
};
