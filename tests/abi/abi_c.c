#include <jobhost/abi.h>

#define SIZE(type, size) _Static_assert(sizeof(type) == (size), "size of " #type)
#define AT(type, field, offset) \
    _Static_assert(offsetof(type, field) == (offset), "offset of " #type "." #field)
#include "tests/abi/layout.h"

jobhost_enqueue enqueue_made_by_c(void);

jobhost_enqueue enqueue_made_by_c(void) {
    const jobhost_enqueue nothing_set = JOBHOST_ENQUEUE_INIT;
    return nothing_set;
}
