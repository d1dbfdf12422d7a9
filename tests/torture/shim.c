/* Preloaded into hosts and enqueuers: moves their time of day, slows down their disk, and stops or
   kills them in the middle of a write transaction. TORTURE_CONTROL names the file that says what.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "tests/torture/shim_control.h"

static struct torture_control nothing;
static struct torture_control* control = &nothing;

__attribute__((constructor)) static void begin(void) {
    const char* parent = getenv("TORTURE_PARENT");
    const char* path = getenv("TORTURE_CONTROL");
    /* Nobody survives a test that was killed. */
    if (parent != NULL && atoi(parent) == (int)getppid()) prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (path == NULL) return;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void* memory = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (memory != MAP_FAILED) control = memory;
}

static int64_t read_word(int64_t* word) {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

int clock_gettime(clockid_t clock, struct timespec* out) {
    const int code = (int)syscall(SYS_clock_gettime, clock, out);
    if (code != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return code;
    const int64_t offset = read_word(&control->clock_offset_us);
    const int64_t nanos = out->tv_nsec + offset % 1000000 * 1000;
    const int64_t carry = nanos < 0 ? -1 : nanos / 1000000000;
    out->tv_sec += offset / 1000000 + carry;
    out->tv_nsec = nanos - carry * 1000000000;
    return 0;
}

int gettimeofday(struct timeval* restrict out, void* restrict zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t* out) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return (time_t)-1;
    if (out != NULL) *out = now.tv_sec;
    return now.tv_sec;
}

/* In the middle of a write transaction: its lock is held, its pages or rows are written, nobody has
   been told that it is over. */
static void inside_transaction(void) {
    int64_t what = read_word(&control->at_commit);
    if (what == TORTURE_GO_ON) return;
    if (!__atomic_compare_exchange_n(&control->at_commit, &what, (int64_t)TORTURE_GO_ON, 0,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        return;
    }
    kill(getpid(), what == TORTURE_DIE ? SIGKILL : SIGSTOP);
}

static void sync_slowly(void) {
    inside_transaction();
    const int64_t delay = read_word(&control->sync_delay_us);
    const struct timespec wait = {delay / 1000000, delay % 1000000 * 1000};
    if (delay > 0) nanosleep(&wait, NULL);
}

int fsync(int fd) {
    sync_slowly();
    return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
    sync_slowly();
    return (int)syscall(SYS_fdatasync, fd);
}

/* libpq sends through this. Before a COMMIT leaves, the server holds the transaction's locks. */
ssize_t send(int fd, const void* bytes, size_t size, int flags) {
    if (read_word(&control->at_commit) != TORTURE_GO_ON && memmem(bytes, size, "COMMIT", 6)) {
        inside_transaction();
    }
    return syscall(SYS_sendto, fd, bytes, size, flags, NULL, 0);
}
