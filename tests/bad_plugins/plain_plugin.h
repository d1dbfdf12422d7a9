/* A whole plugin in plain C with one job type, `<name>.noop`, that does nothing. Each file beside
 * this one defines what is wrong with it and includes it. */
#include <stddef.h>

#include <jobhost/abi.h>

#ifndef PLUGIN_NAME
#define PLUGIN_NAME "plain"
#endif
#ifndef TYPE_NAME
#define TYPE_NAME PLUGIN_NAME ".noop"
#endif
#ifndef TYPE_RUN
#define TYPE_RUN run_nothing
#endif
#ifndef ENTRY_MAGIC
#define ENTRY_MAGIC JOBHOST_MAGIC
#endif
#ifndef ENTRY_SIZE
#define ENTRY_SIZE sizeof(jobhost_plugin_entry)
#endif
#ifndef ENTRY_MAJOR
#define ENTRY_MAJOR JOBHOST_ABI_MAJOR
#endif
#ifndef ENTRY_MIN_HOST_MINOR
#define ENTRY_MIN_HOST_MINOR 0
#endif
#ifndef ENTRY_DESCRIBE
#define ENTRY_DESCRIBE describe
#endif

static inline jobhost_status run_nothing(void* self, const jobhost_job_type* type,
                                         const jobhost_job* job, const jobhost_run* run) {
    (void)self, (void)type, (void)job, (void)run;
    return JOBHOST_OK;
}

static const jobhost_job_type noop = {
    .struct_size = sizeof(jobhost_job_type),
    .name = JOBHOST_STR_LIT(TYPE_NAME),
    .timeout_us = -1,
    .run = TYPE_RUN,
};
static const jobhost_job_type* const job_types[] = {&noop};

static const jobhost_plugin plugin = {
    .struct_size = sizeof(jobhost_plugin),
    .name = JOBHOST_STR_LIT(PLUGIN_NAME),
    .version = JOBHOST_STR_LIT("1.0.0"),
    .job_types = job_types,
    .n_job_types = 1,
};

static inline const jobhost_plugin* describe(const jobhost_error** error) {
    (void)error;
    return &plugin;
}

static jobhost_status start(const jobhost_host* host, void** self) {
    (void)host, (void)self;
    return JOBHOST_OK;
}

JOBHOST_EXPORT extern const jobhost_plugin_entry jobhost_plugin_v1;
const jobhost_plugin_entry jobhost_plugin_v1 = {
    .magic = ENTRY_MAGIC,
    .struct_size = ENTRY_SIZE,
    .abi_major = ENTRY_MAJOR,
    .abi_minor = JOBHOST_ABI_MINOR,
    .min_host_minor = ENTRY_MIN_HOST_MINOR,
    .pointer_bits = 64,
    .build_info = JOBHOST_STR_LIT("plain C"),
    .describe = ENTRY_DESCRIBE,
    .start = start,
};
