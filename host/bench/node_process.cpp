#include "host/bench/node_process.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <sys/wait.h>

#include "host/bench/bench_types.h"

extern char** environ;

namespace jobhost::bench {
namespace {

constexpr int kBoardFile = 3;  // in the child
constexpr int kLook = 1;       // ms, between two looks at the board

// What the child is told, over its standard input: the url may hold a password, which a command
// line would show to everybody. Fields end with a NUL byte.
std::string told(const StoreOptions& store, int workers) {
    std::string text;
    for (const std::string& field :
         {store.url, store.schema, std::string(store.synchronous_full ? "1" : "0"),
          std::string(store.listen ? "1" : "0"), std::to_string(workers)}) {
        text += field;
        text += '\0';
    }
    return text;
}

std::string read_field() {
    std::string field;
    for (char c = 0; ::read(STDIN_FILENO, &c, 1) == 1 && c != '\0';) field += c;
    return field;
}

/// False: the parent has closed the other end, or is gone. What it never says, it need not read.
bool is_wanted(int timeout_ms) {
    pollfd orders{STDIN_FILENO, POLLIN, 0};
    return ::poll(&orders, 1, timeout_ms) == 0;
}

[[noreturn]] void throw_errno(int number, const char* what) {
    throw std::system_error(number, std::generic_category(), what);
}

void work(Board& board, const JobTypes& types) {
    StoreOptions options;
    options.url = read_field();
    options.schema = read_field();
    options.synchronous_full = read_field() == "1";
    options.listen = read_field() == "1";
    const std::string workers = read_field();
    int count = 1;
    std::from_chars(workers.data(), workers.data() + workers.size(), count);

    const SystemClock clock;
    const auto store = open_store(options, clock, false);
    while (!board.go.load()) {
        if (!is_wanted(kLook)) return;
    }
    CountEnds events(board);
    Engine engine(node_settings(count), *store, types, clock, events);
    ++board.working;
    while (is_wanted(-1)) {
    }
    engine.stop();
}

}  // namespace

EngineSettings node_settings(int workers) {
    EngineSettings settings;
    settings.service = "bench";
    settings.version = "bench";
    settings.queues = {{.name = "default", .workers = workers, .policy = {}}};
    return settings;
}

NodeProcess::NodeProcess(const StoreOptions& store, int workers, const SharedBoard& board,
                         const std::filesystem::path& program) {
    int ends[2] = {};
    if (::pipe2(ends, O_CLOEXEC) != 0) throw_errno(errno, "pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, board.file(), kBoardFile);
    std::string name = program.string();
    std::string command = kNodeCommand;
    char* arguments[] = {name.data(), command.data(), nullptr};
    const int code = ::posix_spawn(&pid_, name.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[0]);
    orders_ = ends[1];
    if (code != 0) {
        ::close(orders_);
        throw_errno(code, "a node cannot be started");
    }
    const std::string text = told(store, workers);
    // Shorter than a pipe holds. A child that is gone already shows in has_ended().
    if (::write(orders_, text.data(), text.size()) < 0 && errno != EPIPE) {
        throw_errno(errno, "a node cannot be told what to do");
    }
}

NodeProcess::~NodeProcess() {
    ::close(orders_);
    wait();
}

bool NodeProcess::has_ended() {
    if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
    return pid_ < 0;
}

void NodeProcess::kill() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    wait();
}

void NodeProcess::wait() {
    while (pid_ > 0 && ::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
}

int run_node(const std::function<JobTypes(Board&)>& types) {
    // The terminal's Ctrl-C is for the one who measures: it tells us when to stop.
    ::signal(SIGINT, SIG_IGN);
    ::signal(SIGHUP, SIG_IGN);
    try {
        const SharedBoard board(kBoardFile);
        const JobTypes loaded = types(*board);
        work(*board, loaded);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "jobhost bench, the node: %s\n", error.what());
        return 1;
    }
}

}  // namespace jobhost::bench
