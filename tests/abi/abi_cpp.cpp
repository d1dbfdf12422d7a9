#include <cstdint>
#include <cstdio>
#include <cstring>

#include <jobhost/abi.h>

#define SIZE(type, size) static_assert(sizeof(type) == (size), "size of " #type)
#define AT(type, field, offset) \
    static_assert(offsetof(type, field) == (offset), "offset of " #type "." #field)
#include "tests/abi/layout.h"

extern "C" jobhost_enqueue enqueue_made_by_c(void);

namespace {

bool check(bool right, const char* what) {
    if (!right) std::fprintf(stderr, "wrong: %s\n", what);
    return right;
}

bool unset_enqueue_options_are_marked() {
    const jobhost_enqueue job = enqueue_made_by_c();
    return check(job.struct_size == sizeof job, "struct_size") &&
           check(job.priority == JOBHOST_PRIORITY_NOT_SET, "priority") &&
           check(job.max_attempts == -1, "max_attempts") && check(job.run_at_us == 0, "run_at") &&
           check(job.delay_us == -1, "delay") &&
           check(job.deadline_after_us == -1 && job.deadline_at_us == 0, "deadline") &&
           check(job.timeout_us == -1, "timeout") && check(job.n_tags == 0, "tags") &&
           check(job.after == 0, "after") && check(job.traceparent.ptr == nullptr, "traceparent");
}

bool a_field_outside_of_struct_size_is_absent() {
    jobhost_job job{};
    job.struct_size = offsetof(jobhost_job, n_log_lines);
    return check(JOBHOST_HAS(&job, log_lines), "a field inside struct_size") &&
           check(!JOBHOST_HAS(&job, n_log_lines), "a field outside of struct_size");
}

bool the_magic_spells_its_name() {
    const std::uint64_t magic = JOBHOST_MAGIC;
    return check(std::memcmp(&magic, "\0JOBHST1", 8) == 0, "magic");
}

}  // namespace

int main() {
    const bool right = unset_enqueue_options_are_marked() &&
                       a_field_outside_of_struct_size_is_absent() && the_magic_spells_its_name();
    return right ? 0 : 1;
}
