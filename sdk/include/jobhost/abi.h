/* The plugin ABI of jobhost, version 1.0: all that a host binary and a plugin binary share.
 *
 * Plain C11, no header besides <stddef.h> and <stdint.h>. C++ authors include <jobhost/sdk.hpp>,
 * which is built on this file and compiled into the plugin.
 *
 * ---- The seven rules ----------------------------------------------------------------------------
 *
 * 1. Only C crosses: no exception, no C++ type, no RTTI, no memory that the other side must free.
 *    An exception that leaves a function of this file is undefined behaviour.
 *
 * 2. A pointer that is handed over is borrowed: it is valid until the call that it was passed to
 *    returns, unless its comment says otherwise. Who wants to keep the data copies it.
 *
 * 3. Text is UTF-8 in a jobhost_str (pointer and length): not NUL-terminated, may contain NUL.
 *    {NULL, 0} means absent, and so does any other string of length 0.
 *
 * 4. A struct that can grow starts with `struct_size`, the sizeof that its WRITER was compiled
 *    with. The reader looks only at fields inside it (JOBHOST_HAS). Fields are appended at the end,
 *    never removed, moved or given another meaning; the zero value of a new field means "as
 *    before". There is no implicit padding. Growable structs never lie by value inside another
 *    struct or an array: arrays hold pointers. Structs marked CLOSED never change.
 *
 * 5. Integers have fixed widths, enumerations are int32_t with named constants, booleans are
 *    int32_t 0 and 1. Times and durations are int64_t MICROSECONDS (`_us`): times since 1970-01-01
 *    UTC, 0 = not set; durations -1 = not set. Ids are int64_t, 0 = none. int32_t settings use -1
 *    for not set. 64-bit targets only.
 *
 * 6. Every function has a thread class (below), and returns soon unless it says that it may block.
 *
 * 7. Every call could be answered from another process. So host pointers are good for calling
 *    through only, and two runs need not share a plugin's globals.
 *
 * ---- Thread classes -----------------------------------------------------------------------------
 * - [scan] before start(), perhaps in a throw-away process: no settings, no side effects, no I/O.
 * - [control] one thread, never at the same time as another call into this plugin.
 * - [worker] any worker thread, at the same time as other [worker] calls, also of the same job
 *   type. One call stays on one thread from entry to return.
 * - [run] any thread, but only between entry and return of the call that got the jobhost_run.
 * - [trigger] the trigger's own thread; at the same time as anything else.
 * - [any] any thread, between entry of start() and return of stop().
 * - [fast] besides: must not block; aim below 1 ms.
 *
 * ---- A plugin must not --------------------------------------------------------------------------
 * - call exit, abort or _exit, or fork without exec;
 * - install signal handlers, or change the signal mask of threads that it did not make;
 * - change the working directory, umask, locale or environment;
 * - leave threads behind after stop(), or close descriptors that it did not open.
 *
 * ---- Compatibility ------------------------------------------------------------------------------
 * - A released minor changes only by appending; the sizes at the end of this file are frozen.
 * - Another major has another entry symbol (jobhost_plugin_v2); a host may look for several.
 * - A host of minor m loads a plugin whose min_host_minor <= m, whatever minor it was built with.
 * - The reader copies min(struct_size, its own sizeof) into a zeroed struct. A struct_size below
 *   the 1.0 size is an error, a larger one is fine.
 * - Constants may be added: an unknown status counts as JOBHOST_ERROR, an unknown level as
 *   JOBHOST_LEVEL_INFO, an unknown cancel reason as cancelled; unknown flag bits are ignored.
 * - A NULL function pointer means "not offered".
 * - Experiments live behind get_extension("jobhost.ext.NAME/1"); another layout, another id.
 */
#ifndef JOBHOST_ABI_H
#define JOBHOST_ABI_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define JOBHOST_EXPORT __declspec(dllexport)
#else
#define JOBHOST_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions -------------------------------------------------------------------------------- */
#define JOBHOST_ABI_MAJOR 1
#define JOBHOST_ABI_MINOR 0
/* "\0JOBHST1" in little-endian memory, so that it also tells the byte order. */
#define JOBHOST_MAGIC UINT64_C(0x31545348424F4A00)
/* The one exported symbol: const jobhost_plugin_entry jobhost_plugin_v1. */
#define JOBHOST_ENTRY_SYMBOL "jobhost_plugin_v1"
/* The section that holds a jobhost_note, readable from the file without loading it. */
#define JOBHOST_NOTE_SECTION ".jobhost"

/* True when the writer of *p knew the field. */
#define JOBHOST_HAS(p, field) \
    ((p) != NULL && (p)->struct_size >= offsetof(__typeof__(*(p)), field) + sizeof((p)->field))

/* ---- Values ---------------------------------------------------------------------------------- */
typedef struct jobhost_str { /* CLOSED */
    const char* ptr;
    size_t len;
} jobhost_str;

/* Initialiser for a jobhost_str from a string literal. */
#define JOBHOST_STR_LIT(s) \
    { (s), sizeof(s) - 1 }

/* What a function that can fail answers. */
typedef int32_t jobhost_status;
enum {
    JOBHOST_OK = 0,
    JOBHOST_ERROR = 1, /* failed; set_error or report_error said how */
    /* Only from run(): */
    JOBHOST_CANCELLED = 2,   /* left early because cancel_reason() or wait() answered a reason */
    JOBHOST_SNOOZE = 3,      /* not a failure: run again after set_snooze(); uses no attempt */
    JOBHOST_DEAD_LETTER = 4, /* fail for good now; set_error's message is the reason */
    JOBHOST_DISCARD = 5,     /* end as cancelled, no dead-letter handling; reason as above */
    /* Only from host functions: */
    JOBHOST_UNSUPPORTED = 6, /* not offered here */
    JOBHOST_INVALID = 7,     /* an argument breaks the rules; nothing was done */
    JOBHOST_NOT_FOUND = 8,
    JOBHOST_CONFLICT = 9,    /* enqueue: refused, the idempotency key is held */
    JOBHOST_UNAVAILABLE = 10 /* the store is down or the host is stopping; try later */
};

typedef int32_t jobhost_level;
enum {
    JOBHOST_LEVEL_TRACE = 0,
    JOBHOST_LEVEL_DEBUG = 1,
    JOBHOST_LEVEL_INFO = 2,
    JOBHOST_LEVEL_WARNING = 3,
    JOBHOST_LEVEL_ERROR = 4,
    JOBHOST_LEVEL_CRITICAL = 5
};

/* Why a run should stop. Set once per run; never goes back to 0, never changes. */
typedef int32_t jobhost_cancel;
enum {
    JOBHOST_NOT_CANCELLED = 0,
    JOBHOST_CANCEL_TIMEOUT = 1,   /* past its limit; the run fails with jobhost::TimeoutError */
    JOBHOST_CANCEL_SHUTDOWN = 2,  /* the host stops; the job is given back, attempt not used */
    JOBHOST_CANCEL_OPERATOR = 3,  /* somebody cancelled the job */
    JOBHOST_CANCEL_LEASE_LOST = 4 /* another node has the job; nothing of this run is stored */
};

typedef int32_t jobhost_priority;
enum {
    JOBHOST_PRIORITY_NOT_SET = -1,
    JOBHOST_PRIORITY_CRITICAL = 0,
    JOBHOST_PRIORITY_HIGH = 1,
    JOBHOST_PRIORITY_NORMAL = 2,
    JOBHOST_PRIORITY_LOW = 3
};

/* ---- Errors -------------------------------------------------------------------------------------
 * Types are names. The host compares `type` and `bases` with the do_not_retry lists after one
 * normalisation that both sides use: without inline namespaces (std::__1::, std::__cxx11::,
 * jobhost::v1::), ABI tags ([abi:...]) and "(anonymous namespace)::", anywhere in the name.
 * Languages without inheritance leave `bases` empty. Over-long parts are cut, not refused: message
 * 16 KiB, stack 64 KiB. */
typedef struct jobhost_error {
    uint32_t struct_size;
    uint32_t flags;           /* JOBHOST_ERROR_* */
    jobhost_str type;         /* the most derived type, "acme::CardDeclined"; never empty */
    const jobhost_str* bases; /* all public bases, direct and indirect, nearest first, each once */
    size_t n_bases;
    jobhost_str message;
    jobhost_str stack;      /* stack trace as text; absent when `frames` is all there is */
    const uint64_t* frames; /* addresses of the calls, innermost first; the host finds the lines */
    size_t n_frames;
    /* What caused it: one element for a nested exception; with JOBHOST_ERROR_AGGREGATE the errors
       it holds. The host follows at most 8 levels. */
    const struct jobhost_error* const* causes;
    size_t n_causes;
    int64_t retry_after_us; /* >= 0; with ..._RETRY_AFTER: replaces the delay of the policy */
    int64_t failed_at_us;   /* from the host, for an earlier attempt; plugins leave it 0 */
    int32_t attempt;        /* the attempt that failed so, from the host; plugins leave it 0 */
    int32_t reserved0;      /* 0 */
} jobhost_error;
enum {
    JOBHOST_ERROR_RETRY_AFTER = 1 << 0,
    JOBHOST_ERROR_FOREIGN = 1 << 1,       /* not an exception of the plugin's language */
    JOBHOST_ERROR_BASES_PARTIAL = 1 << 2, /* the bases could not be listed completely */
    JOBHOST_ERROR_AGGREGATE = 1 << 3      /* several errors at once: `causes` are the elements */
};

/* An error type that the plugin can throw, so that the host can tell a wrong name in a YAML list
 * from a right one. */
typedef struct jobhost_error_type {
    uint32_t struct_size;
    uint32_t flags;           /* 0 */
    jobhost_str name;         /* normalised, see jobhost_error */
    const jobhost_str* bases; /* all public bases */
    size_t n_bases;
} jobhost_error_type;

/* ---- Enqueue ------------------------------------------------------------------------------------
 * The JSON key is the option's name; the CLI flag is it with dashes (--max-attempts), but the type
 * is an argument and --tag is repeated. The SDK member is one of jobhost::Enqueue.
 *
 *  option            field here          SDK member          CLI flag            JSON key
 *  type              type                type                TYPE                type
 *  input             input               input               --input             input
 *  queue             queue               queue               --queue             queue
 *  priority          priority            priority            --priority          priority
 *  max attempts      max_attempts        max_attempts        --max-attempts      max_attempts
 *  delay             delay_us            delay               --delay             delay
 *  run at            run_at_us           run_at              --run-at            run_at
 *  start within      deadline_after_us   deadline_after      --deadline          deadline
 *  start before      deadline_at_us      deadline_at         --deadline          deadline
 *  limit of a run    timeout_us          timeout             --timeout           timeout
 *  tags              tags, n_tags        tags                --tag               tags
 *  idempotency key   idempotency_key     idempotency_key     --idempotency-key   idempotency_key
 *  key is held       on_duplicate        on_duplicate        --on-duplicate      on_duplicate
 *  parent            after               after               --after             after
 *  parent failed     on_parent_failed    on_parent_failed    --on-parent-failed  on_parent_failed
 *  trace             traceparent         traceparent         --traceparent       traceparent
 */
typedef struct jobhost_enqueue {
    uint32_t struct_size;
    uint32_t flags;            /* JOBHOST_ENQUEUE_* */
    jobhost_str type;          /* required */
    jobhost_str input;         /* JSON text, kept byte for byte; absent = the text `null` */
    jobhost_str queue;         /* absent = "default" */
    jobhost_priority priority; /* JOBHOST_PRIORITY_NOT_SET = normal */
    int32_t max_attempts;      /* >= 1; -1 = not set */
    int64_t run_at_us;         /* 0 = now. Not together with delay_us. */
    int64_t delay_us;          /* counted by the store's clock; -1 = not set */
    int64_t deadline_after_us; /* must start within this much from its run_at; -1 = not set */
    int64_t deadline_at_us;    /* must start before; 0 = not set. Not with deadline_after_us. */
    int64_t timeout_us;        /* limit of each run; 0 = none, -1 = not set */
    const jobhost_str* tags;
    size_t n_tags;
    jobhost_str idempotency_key; /* scoped to the type */
    int32_t on_duplicate;        /* JOBHOST_ON_DUPLICATE_* */
    int32_t on_parent_failed;    /* JOBHOST_ON_PARENT_FAILED_*; only with `after` */
    int64_t after;               /* runs only after this job succeeded; 0 = none */
    jobhost_str traceparent;     /* absent: a running job's own is passed on */
} jobhost_enqueue;
enum {
    /* Only through a running job's context: stored in one transaction with the job's success,
       dropped otherwise. The result's id is 0 then. */
    JOBHOST_ENQUEUE_ON_SUCCESS = 1 << 0
};
enum {
    JOBHOST_ON_DUPLICATE_ALLOW_AFTER_FAILED = 0,
    JOBHOST_ON_DUPLICATE_REJECT_IF_FAILED = 1,
    JOBHOST_ON_DUPLICATE_REJECT_ALWAYS = 2
};
enum {
    JOBHOST_ON_PARENT_FAILED_CANCEL = 0,
    JOBHOST_ON_PARENT_FAILED_RUN = 1,
    JOBHOST_ON_PARENT_FAILED_WAIT = 2
};

/* Initialiser with every option not set; then fill in `type` and what is wanted. */
#define JOBHOST_ENQUEUE_INIT                                                                       \
    {                                                                                              \
        sizeof(jobhost_enqueue), 0, {NULL, 0}, {NULL, 0}, {NULL, 0}, JOBHOST_PRIORITY_NOT_SET, -1, \
            0, -1, -1, 0, -1, NULL, 0, {NULL, 0}, 0, 0, 0, {                                       \
            NULL, 0                                                                                \
        }                                                                                          \
    }

/* The caller sets struct_size and zeroes the rest; the host fills in the fields that fit. */
typedef struct jobhost_enqueue_result {
    uint32_t struct_size;
    int32_t duplicate;   /* 1 = the key was held and `id` is the job that holds it (status OK) */
    int64_t id;          /* the job; with CONFLICT the job that holds the key */
    jobhost_str message; /* why refused, or a warning; valid until this thread's next host call */
} jobhost_enqueue_result;

/* ---- A job as a plugin sees it ------------------------------------------------------------------
 * Immutable; valid until the call that received it returns. */
typedef struct jobhost_job {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    int64_t id;
    jobhost_str type;
    jobhost_str queue;
    jobhost_str state; /* "processing"; "failed" for dead-letter handlers and forwarders */
    jobhost_priority priority;
    int32_t attempt; /* in a run: this attempt, from 1; in a failed job: the attempts that count */
    int32_t max_attempts;           /* the limit in force */
    int32_t max_attempts_requested; /* what the enqueuer passed; -1 = nothing */
    int64_t fence;                  /* grows with every claim, never goes back */
    jobhost_str input;              /* byte for byte as received */
    const jobhost_str* tags;
    size_t n_tags;
    int64_t created_at_us;
    int64_t run_at_us;
    int64_t started_at_us;
    int64_t finished_at_us; /* 0 while it runs */
    int64_t expires_at_us;  /* must start before; 0 = no such limit */
    int64_t timeout_us;     /* limit of one run; 0 = none */
    jobhost_str source;     /* "cli", "job:7", ... */
    jobhost_str idempotency_key;
    int64_t parent_id;
    jobhost_str traceparent;
    jobhost_str reason;     /* why it failed ("exhausted", ...); absent while it runs */
    jobhost_str checkpoint; /* what an earlier attempt saved last, JSON */
    jobhost_str progress_text;
    int32_t progress_percent; /* 0..100; -1 = unknown */
    int32_t snoozes;
    const jobhost_error* const* errors; /* of the attempts so far, oldest first, at most 50 */
    size_t n_errors;
    const jobhost_str* log_lines; /* of the runs before this call, oldest first, at most 200 */
    size_t n_log_lines;
} jobhost_job;

/* ---- What a running call may use ----------------------------------------------------------------
 * Given to run(), to dead-letter handlers and to forwarders; valid until that call returns. In a
 * handler or forwarder set_snooze, progress, save_checkpoint and complete are NULL and ON_SUCCESS
 * is refused. */
typedef struct jobhost_run_api jobhost_run_api;
typedef struct jobhost_run { /* CLOSED; the host's own object begins with it */
    const jobhost_run_api* api;
} jobhost_run;
struct jobhost_run_api {
    uint32_t struct_size;
    uint32_t reserved0; /* 0 */
    /* [run] Stored with the job (last 200 lines) and written to the host's log. */
    void (*log)(const jobhost_run*, jobhost_level, jobhost_str message);
    /* [run][fast] 0 = log() would drop this level. */
    int32_t (*log_enabled)(const jobhost_run*, jobhost_level);
    /* [run][fast] Looking and getting a reason counts as having seen the cancellation: a run that
       then returns is interrupted, not succeeded, unless it called complete(). */
    jobhost_cancel (*cancel_reason)(const jobhost_run*);
    /* [run] Sleeps up to that long, ends early on cancellation; answers like cancel_reason().
       <= 0 does not sleep. */
    jobhost_cancel (*wait)(const jobhost_run*, int64_t duration_us);
    /* [run] Enqueues at once, or with the job's success (JOBHOST_ENQUEUE_ON_SUCCESS). Blocks for
       the store. `result` may be NULL. */
    jobhost_status (*enqueue)(const jobhost_run*, const jobhost_enqueue*,
                              jobhost_enqueue_result* result);
    /* [run] Before returning ERROR, DEAD_LETTER or DISCARD. Copied; the last call wins. */
    void (*set_error)(const jobhost_run*, const jobhost_error*);
    /* [run] Before returning SNOOZE. The host raises it to 1 s. */
    void (*set_snooze)(const jobhost_run*, int64_t delay_us);
    /* [run] 0..100, -1 = unknown. Cheap: the host stores the newest now and then. */
    void (*progress)(const jobhost_run*, int32_t percent, jobhost_str text);
    /* [run] JSON, at most 1 MiB, replaces the last one; durable when it answers OK. Blocks for
       the store. */
    jobhost_status (*save_checkpoint)(const jobhost_run*, jobhost_str json);
    /* [run] The work is done: shutdown and operator can no longer turn the success into an
       interruption. OK, or ERROR when a timeout or the loss of the lease came first. */
    jobhost_status (*complete)(const jobhost_run*);
    /* [run] NULL = unknown id. Valid like the jobhost_run. */
    const void* (*get_extension)(const jobhost_run*, const char* id);
};

/* ---- Host services outside of a run -------------------------------------------------------------
 * The host's; valid from start() until stop() returned. */
typedef struct jobhost_host jobhost_host;
struct jobhost_host {
    uint32_t struct_size;
    uint16_t abi_major;
    uint16_t abi_minor;
    void* host_data;  /* the host's own */
    jobhost_str name; /* "jobhost" */
    jobhost_str version;
    jobhost_str node;        /* the node's name, for people */
    jobhost_str plugin_path; /* the file that the operator named */
    jobhost_str settings;    /* the plugin's `settings:` from YAML as one JSON object, maybe `{}` */
    /* [any] */
    void (*log)(const jobhost_host*, jobhost_level, jobhost_str message);
    /* [any][fast] */
    int32_t (*log_enabled)(const jobhost_host*, jobhost_level);
    /* [any] Blocks for the store. `result` may be NULL. */
    jobhost_status (*enqueue)(const jobhost_host*, const jobhost_enqueue*,
                              jobhost_enqueue_result* result);
    /* [any] Says how a function without a jobhost_run failed, before it returns. */
    void (*report_error)(const jobhost_host*, const jobhost_error*);
    /* [any] NULL = unknown id. Valid like the host. */
    const void* (*get_extension)(const jobhost_host*, const char* id);
};

/* ---- Retry ----------------------------------------------------------------------------------- */
typedef struct jobhost_retry_policy {
    uint32_t struct_size;
    int32_t max_attempts;     /* -1 = not set; 0 and 1 = one run */
    int64_t initial_delay_us; /* -1 = not set */
    double multiplier;        /* 0 = not set */
    int64_t max_delay_us;     /* -1 = not set */
    jobhost_str delay;    /* a delay function, "default" = the built-in curve; absent = not set */
    int64_t retry_for_us; /* -1 = not set */
} jobhost_retry_policy;

typedef struct jobhost_retry_info {
    uint32_t struct_size;
    int32_t attempts_made; /* 1 after the first failure */
    int32_t max_attempts;
    int32_t reserved0; /* 0 */
    const jobhost_job* job;
    const jobhost_error* error;
    int64_t policy_delay_us; /* what the built-in curve says now */
    uint64_t random;         /* 64 random bits from the host, so that tests can fix them */
} jobhost_retry_info;

/* Answer of a delay function: as the policy would do without it. Any other negative answer counts
 * as a failure. */
#define JOBHOST_DELAY_AS_POLICY INT64_MIN

typedef struct jobhost_retry_delay jobhost_retry_delay;
struct jobhost_retry_delay {
    uint32_t struct_size;
    uint32_t flags;   /* 0 */
    jobhost_str name; /* unique in the host; YAML: retry: { delay: NAME } */
    void* data;       /* the plugin's own */
    /* [worker][fast] Microseconds >= 0, or JOBHOST_DELAY_AS_POLICY. On failure:
       report_error(), then -1. */
    int64_t (*delay_us)(void* self, const jobhost_retry_delay*, const jobhost_retry_info*);
};

/* ---- Job types ------------------------------------------------------------------------------- */
typedef struct jobhost_job_type jobhost_job_type;
struct jobhost_job_type {
    uint32_t struct_size;
    uint32_t flags;   /* 0 */
    jobhost_str name; /* unique in the host; stored with every job, so it must stay */
    const jobhost_retry_policy* retry; /* NULL = nothing set */
    const jobhost_str* do_not_retry;   /* names of error types, normalised */
    size_t n_do_not_retry;
    int64_t timeout_us; /* 0 = none, -1 = not set */
    void* data;         /* the plugin's own */
    /* [worker] May block; should look for cancellation. */
    jobhost_status (*run)(void* self, const jobhost_job_type*, const jobhost_job*,
                          const jobhost_run*);
};

/* ---- Dead letters ---------------------------------------------------------------------------- */
typedef struct jobhost_failed_job {
    uint32_t struct_size;
    uint32_t flags;             /* 0 */
    const jobhost_job* job;     /* never NULL */
    const jobhost_error* error; /* the last error, never NULL; some are the host's own */
} jobhost_failed_job;

typedef struct jobhost_dead_letter_handler jobhost_dead_letter_handler;
struct jobhost_dead_letter_handler {
    uint32_t struct_size;
    uint32_t flags;       /* 0 */
    jobhost_str job_type; /* a type that this plugin declares; one handler a type */
    void* data;           /* the plugin's own */
    /* [worker] Once, after the move to failed is stored. May block. OK or ERROR, which is
       logged. */
    jobhost_status (*handle)(void* self, const jobhost_dead_letter_handler*,
                             const jobhost_failed_job*, const jobhost_run*);
};

typedef struct jobhost_forwarder jobhost_forwarder;
struct jobhost_forwarder {
    uint32_t struct_size;
    uint32_t flags;   /* 0 */
    jobhost_str name; /* unique in the host; label of its counters */
    void* data;       /* the plugin's own */
    /* [worker][fast] 1 = forward() is wanted, 0 = not, negative = failed (set_error says how). */
    int32_t (*applies_to)(void* self, const jobhost_forwarder*, const jobhost_failed_job*,
                          const jobhost_run*);
    /* [worker] May block. OK or ERROR; an error is logged. */
    jobhost_status (*forward)(void* self, const jobhost_forwarder*, const jobhost_failed_job*,
                              const jobhost_run*);
};

/* ---- Triggers: brokers and other outside sources of jobs ----------------------------------------
 * One jobhost_trigger_run per `triggers:` entry in YAML, valid from open() to the end of close().
 */
typedef struct jobhost_trigger_api jobhost_trigger_api;
typedef struct jobhost_trigger_run { /* CLOSED; the host's own object begins with it */
    const jobhost_trigger_api* api;
} jobhost_trigger_run;
struct jobhost_trigger_api {
    uint32_t struct_size;
    uint32_t reserved0; /* 0 */
    /* [trigger] The entry's name and its settings as one JSON object. */
    jobhost_str (*name)(const jobhost_trigger_run*);
    jobhost_str (*settings)(const jobhost_trigger_run*);
    void (*log)(const jobhost_trigger_run*, jobhost_level, jobhost_str message);
    int32_t (*log_enabled)(const jobhost_trigger_run*, jobhost_level);
    /* [trigger] Sleeps up to that long; 1 = leave run() now. <= 0 only asks. */
    int32_t (*wait)(const jobhost_trigger_run*, int64_t duration_us);
    /* [trigger] Stores all jobs or none. OK (also for a known idempotency key): acknowledge to the
       broker now. INVALID: result's message says which and why. UNAVAILABLE: do not acknowledge,
       wait, try again. `results` may be NULL, else n pointers. */
    jobhost_status (*enqueue)(const jobhost_trigger_run*, const jobhost_enqueue* const* jobs,
                              size_t n, jobhost_enqueue_result* const* results);
    /* [trigger] For /readyz and the dashboard. */
    void (*set_health)(const jobhost_trigger_run*, int32_t healthy, jobhost_str text);
    void (*report_error)(const jobhost_trigger_run*, const jobhost_error*);
    const void* (*get_extension)(const jobhost_trigger_run*, const char* id);
};

typedef struct jobhost_trigger_type jobhost_trigger_type;
struct jobhost_trigger_type {
    uint32_t struct_size;
    uint32_t flags;   /* 0 */
    jobhost_str kind; /* unique in the host */
    void* data;       /* the plugin's own */
    /* [control] Reads and checks the settings; an ERROR stops the host's start. */
    jobhost_status (*open)(void* self, const jobhost_trigger_type*, const jobhost_trigger_run*,
                           void** trigger);
    /* [trigger] Until wait() answers 1. After an ERROR the host calls it again, with back-off. */
    jobhost_status (*run)(void* trigger, const jobhost_trigger_run*);
    /* [control] After run() returned. */
    void (*close)(void* trigger);
};

/* ---- The plugin ---------------------------------------------------------------------------------
 * The same data at every call, valid as long as the library is mapped. */
typedef struct jobhost_plugin {
    uint32_t struct_size;
    uint32_t flags;      /* 0 */
    jobhost_str name;    /* unique in the host */
    jobhost_str version; /* shown */
    const jobhost_job_type* const* job_types;
    size_t n_job_types;
    const jobhost_dead_letter_handler* const* dead_letter_handlers;
    size_t n_dead_letter_handlers;
    const jobhost_forwarder* const* forwarders;
    size_t n_forwarders;
    const jobhost_retry_delay* const* retry_delays;
    size_t n_retry_delays;
    const jobhost_error_type* const* error_types;
    size_t n_error_types;
    const jobhost_trigger_type* const* trigger_types;
    size_t n_trigger_types;
} jobhost_plugin;

/* What the exported symbol is: constant data, so reading it runs no code of the plugin. */
typedef struct jobhost_plugin_entry {
    uint64_t magic; /* JOBHOST_MAGIC */
    uint32_t struct_size;
    uint16_t abi_major; /* the ABI that the plugin was compiled with */
    uint16_t abi_minor;
    uint16_t min_host_minor; /* 0 unless the plugin cannot do without something newer */
    uint16_t pointer_bits;   /* 64 */
    uint32_t flags;          /* 0 */
    jobhost_str build_info;  /* compiler, library, SDK version; shown, never compared */
    /* [scan] NULL = failed; *error (unless error is NULL) says how and stays valid. */
    const jobhost_plugin* (*describe)(const jobhost_error** error);
    /* [control] Once. *self is handed back as `self` everywhere. On failure: report_error(),
       then ERROR. */
    jobhost_status (*start)(const jobhost_host*, void** self);
    /* [control] Once, after every other call returned. May be NULL. */
    void (*stop)(void* self);
    /* [any] May be NULL; NULL = unknown id. */
    const void* (*get_extension)(void* self, const char* id);
} jobhost_plugin_entry;

/* Says the same without pointers, in section JOBHOST_NOTE_SECTION. */
typedef struct jobhost_note { /* texts are NUL-terminated, cut when too long */
    uint64_t magic;
    uint32_t struct_size;
    uint16_t abi_major;
    uint16_t abi_minor;
    uint16_t min_host_minor;
    uint16_t pointer_bits;
    uint32_t reserved0; /* 0 */
    char name[64];
    char version[32];
    char sdk[32];
} jobhost_note;

/* ---- Frozen sizes of 1.0 --------------------------------------------------------------------- */
#if defined(__cplusplus)
#define JOBHOST_SIZE(type, size) static_assert(sizeof(type) == size, "ABI break: " #type)
#else
#define JOBHOST_SIZE(type, size) _Static_assert(sizeof(type) == size, "ABI break: " #type)
#endif
JOBHOST_SIZE(jobhost_str, 16);
JOBHOST_SIZE(jobhost_error, 128);
JOBHOST_SIZE(jobhost_error_type, 40);
JOBHOST_SIZE(jobhost_enqueue, 168);
JOBHOST_SIZE(jobhost_enqueue_result, 32);
JOBHOST_SIZE(jobhost_job, 312);
JOBHOST_SIZE(jobhost_run, 8);
JOBHOST_SIZE(jobhost_run_api, 96);
JOBHOST_SIZE(jobhost_host, 136);
JOBHOST_SIZE(jobhost_retry_policy, 56);
JOBHOST_SIZE(jobhost_retry_info, 48);
JOBHOST_SIZE(jobhost_retry_delay, 40);
JOBHOST_SIZE(jobhost_job_type, 72);
JOBHOST_SIZE(jobhost_failed_job, 24);
JOBHOST_SIZE(jobhost_dead_letter_handler, 40);
JOBHOST_SIZE(jobhost_forwarder, 48);
JOBHOST_SIZE(jobhost_trigger_run, 8);
JOBHOST_SIZE(jobhost_trigger_api, 80);
JOBHOST_SIZE(jobhost_trigger_type, 56);
JOBHOST_SIZE(jobhost_plugin, 136);
JOBHOST_SIZE(jobhost_plugin_entry, 72);
JOBHOST_SIZE(jobhost_note, 152);
#undef JOBHOST_SIZE

#ifdef __cplusplus
}
#endif
#endif
