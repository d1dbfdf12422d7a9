// The program `jobhost` itself, with the sample plugin, as an operator would start it.
#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <unistd.h>

#include <sys/wait.h>

#include "tests/bench/benchmarks.h"
#include "tests/support/temp_dir.h"

extern char** environ;

namespace jobhost::bench {
namespace {

using namespace std::chrono_literals;

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

class Host {
public:
    explicit Host(const StoreOptions& store) {
        const auto config = folder_.path() / "jobhost.yaml";
        std::ofstream(config)
            << "service: bench\nstorage: { url: \"" << store.url << "\", schema: " << store.schema
            << " }\nplugins:\n  allow_insecure: true\n  load: [{ path: " JOBHOST_PLUGINS
               "/reliability.so }]\n";
        const std::string log = (folder_.path() / "log").string();
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(),
                                         O_WRONLY | O_CREAT | O_APPEND, 0640);
        std::string arguments[] = {JOBHOST_BINARY, "-c", config.string(), "run"};
        char* argv[] = {arguments[0].data(), arguments[1].data(), arguments[2].data(),
                        arguments[3].data(), nullptr};
        const std::int64_t start = steady_now();
        const int code = ::posix_spawn(&pid_, argv[0], &actions, nullptr, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
        if (code != 0) throw std::runtime_error("jobhost cannot be started");
        while (text_of(log).find("ready") == std::string::npos) {
            if (::waitpid(pid_, nullptr, WNOHANG) == pid_) throw std::runtime_error(text_of(log));
            std::this_thread::sleep_for(200us);
        }
        start_ms = static_cast<double>(steady_now() - start) / 1e6;
    }
    ~Host() { stop(); }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    /// Milliseconds from SIGTERM to the end.
    double stop() {
        if (pid_ < 0) return 0;
        const std::int64_t start = steady_now();
        ::kill(pid_, SIGTERM);
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
        return static_cast<double>(steady_now() - start) / 1e6;
    }

    /// Seconds of processor time of all threads, to the nanosecond.
    double cpu_seconds() const {
        double ns = 0;
        const std::string tasks = "/proc/" + std::to_string(pid_) + "/task";
        for (const auto& task : std::filesystem::directory_iterator(tasks)) {
            ns += std::stod(text_of(task.path() / "schedstat"));
        }
        return ns / 1e9;
    }

    double resident_mib() const {
        const std::string status = text_of("/proc/" + std::to_string(pid_) + "/status");
        const std::string mark = "VmRSS:";
        return std::stod(status.substr(status.find(mark) + mark.size())) / 1024;
    }

    double start_ms = 0;  // from the spawn until it says that it works

private:
    TempDir folder_;
    pid_t pid_ = -1;
};

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

}  // namespace

void idle_host(Subject& subject) {
    const FreshStore store(subject);
    const Host host(store.options());
    std::this_thread::sleep_for(3s);  // its first rounds are over
    const double before = host.cpu_seconds();
    constexpr auto kIdle = 60s;
    std::this_thread::sleep_for(kIdle);
    const double used = host.cpu_seconds() - before;
    subject.add({.name = "idle_cpu",
                 .title = "idle host, of one processor, in 60 s",
                 .unit = "%",
                 .value = 100 * used / static_cast<double>(kIdle.count()),
                 .less_is_better = true});
    subject.add({.name = "idle_rss",
                 .title = "idle host, resident memory",
                 .unit = "MiB",
                 .value = host.resident_mib(),
                 .less_is_better = true});
}

void start_stop(Subject& subject) {
    const FreshStore store(subject);
    std::vector<double> starts;
    std::vector<double> stops;
    for (int i = 0; i < 9; ++i) {
        Host host(store.options());
        starts.push_back(host.start_ms);
        stops.push_back(host.stop());
    }
    subject.add({.name = "start",
                 .title = "start until ready, median of 9",
                 .unit = "ms",
                 .value = median(starts),
                 .less_is_better = true});
    subject.add({.name = "stop",
                 .title = "SIGTERM until the end, idle, median of 9",
                 .unit = "ms",
                 .value = median(stops),
                 .less_is_better = true});
}

}  // namespace jobhost::bench
