#include "host/plugin/probe_child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <sys/syscall.h>
#include <sys/wait.h>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace jobhost {
namespace {

constexpr std::size_t kMostOutput = std::size_t{1024} * 1024;
constexpr std::size_t kMostErrors = std::size_t{64} * 1024;

[[noreturn]] void fail(int number, const std::string& what) {
    throw std::system_error(number, std::generic_category(), what);
}

class Descriptor {
public:
    explicit Descriptor(int number = -1) : number_(number) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    int get() const { return number_; }
    void close() {
        if (number_ >= 0) ::close(number_);
        number_ = -1;
    }

private:
    int number_;
};

struct Pipe {
    Descriptor read_end;
    Descriptor write_end;
};

Pipe make_pipe() {
    std::array<int, 2> ends = {};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno, "cannot make a pipe");
    Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
    // Only our end: the child expects its standard output to block.
    if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) fail(errno, "cannot set up a pipe");
    return pipe;
}

class SpawnSettings {
public:
    SpawnSettings(const Pipe& out, const Pipe& errors) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions_, out.write_end.get(), STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions_, errors.write_end.get(), STDERR_FILENO);
        // Ours are close-on-exec; this is for those that the host inherited itself.
        posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
        posix_spawnattr_init(&attributes_);
        // The host blocks the signals that it takes with signalfd; the child must not inherit that.
        sigset_t none;
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setpgroup(&attributes_, 0);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    }
    ~SpawnSettings() {
        posix_spawnattr_destroy(&attributes_);
        posix_spawn_file_actions_destroy(&actions_);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;

    const posix_spawn_file_actions_t* actions() const { return &actions_; }
    const posix_spawnattr_t* attributes() const { return &attributes_; }

private:
    posix_spawn_file_actions_t actions_;
    posix_spawnattr_t attributes_;
};

/// What is there now; false at the end of the stream.
bool drain(int descriptor, std::string& into, std::size_t limit) {
    std::array<char, 4096> bytes;
    while (true) {
        const ssize_t got = ::read(descriptor, bytes.data(), bytes.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno == EAGAIN;
        if (got == 0) return false;
        const std::size_t room = limit - std::min(limit, into.size());
        into.append(bytes.data(), std::min(room, static_cast<std::size_t>(got)));
    }
}

pid_t spawn(const std::filesystem::path& program, const std::vector<std::string>& arguments,
            const SpawnSettings& settings) {
    std::vector<std::string> texts{program.string()};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    pid_t child = 0;
    const int error = ::posix_spawn(&child, program.c_str(), settings.actions(),
                                    settings.attributes(), pointers.data(), environ);
    if (error != 0) fail(error, "cannot start " + program.string());
    return child;
}

/// Collects the output until the child has ended; true when the limit came first.
bool follow(int pidfd, Pipe& out, Pipe& errors, std::chrono::milliseconds limit, ChildEnd& end) {
    const auto until = std::chrono::steady_clock::now() + limit;
    std::array<pollfd, 3> watched = {pollfd{pidfd, POLLIN, 0},
                                     pollfd{out.read_end.get(), POLLIN, 0},
                                     pollfd{errors.read_end.get(), POLLIN, 0}};
    while (true) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (left.count() <= 0) return true;
        const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(left.count()));
        if (ready < 0 && errno != EINTR) fail(errno, "cannot wait for a child process");
        if (!drain(out.read_end.get(), end.out, kMostOutput)) watched[1].fd = -1;
        if (!drain(errors.read_end.get(), end.errors, kMostErrors)) watched[2].fd = -1;
        if (ready > 0 && watched[0].revents != 0) return false;
    }
}

}  // namespace

ChildEnd run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                   std::chrono::milliseconds limit) {
    Pipe out = make_pipe();
    Pipe errors = make_pipe();
    const pid_t child = spawn(program, arguments, SpawnSettings(out, errors));
    out.write_end.close();
    errors.write_end.close();

    ChildEnd end;
    // Not through <sys/pidfd.h>: glibc 2.36 forgot to declare it extern "C".
    const Descriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    const int open_error = errno;
    if (pidfd.get() >= 0) end.timed_out = follow(pidfd.get(), out, errors, limit, end);
    // Before the child is reaped, so that the number cannot belong to anybody else yet.
    ::kill(-child, SIGKILL);
    ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (pidfd.get() < 0) fail(open_error, "cannot watch a child process");
    drain(out.read_end.get(), end.out, kMostOutput);
    drain(errors.read_end.get(), end.errors, kMostErrors);
    if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
    if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
    return end;
}

}  // namespace jobhost
