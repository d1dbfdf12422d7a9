// Jobs through a whole node, as they are shipped: claimed from SQLite with synchronous=FULL (or
// from PostgreSQL), run by a real plugin, completed; and how long an enqueue takes to become a
// start in another process, on an idle node and on one whose dead-letter handlers all hang while
// other jobs fail beside it.
//
//   jobs_bench PLUGIN [jobs] [folder]      PLUGIN: reliability.so, for its demo.noop
//
// With JOBHOST_BENCH_URL=postgresql://... over a store there (schema jobhost, which must be empty).
//
// The node of the latency part is this program started again: jobs_bench latency-node FOLDER
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <thread>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/wait.h>

#include "host/engine/engine.h"
#include "host/plugin/plugin_set.h"
#include "storage/store.h"
#include "tests/support/temp_dir.h"

extern char** environ;

namespace jobhost {
namespace {

using std::chrono::steady_clock;

const std::string kInput =
    R"({"order_id":"0123456789","amount":12.5,"note":")" + std::string(155, 'x') + "\"}";
constexpr int kSamples = 2000;

double seconds_since(steady_clock::time_point start) {
    return std::chrono::duration<double>(steady_clock::now() - start).count();
}

std::string url_of(const std::string& folder) {
    if (const char* given = std::getenv("JOBHOST_BENCH_URL"); given != nullptr) return given;
    return "sqlite://" + folder + "/jobs.db";
}

EngineSettings settings_with(int workers) {
    EngineSettings settings;
    settings.service = "bench";
    settings.version = "bench";
    settings.queues = {{.name = "default", .workers = workers, .policy = {}}};
    return settings;
}

void enqueue_all(StoreHandle& store, int jobs) {
    const auto session = store.open_session();
    const std::vector<NewJob> bulk(1000,
                                   NewJob{.type = "demo.noop", .input = kInput, .source = "bench"});
    for (int done = 0; done < jobs; done += 1000) {
        if (std::holds_alternative<EnqueueRefusal>(session->enqueue(bulk))) std::abort();
    }
}

void measure_throughput(const std::string& folder, const std::string& plugin, int jobs) {
    PluginOptions options;
    options.load.push_back({.path = plugin});
    options.allow_insecure = true;
    options.probe = std::nullopt;
    auto plugins = load_plugins(options);
    if (!plugins) {
        std::fprintf(stderr, "%s\n", plugins.error().front().c_str());
        std::exit(1);
    }
    const SystemClock clock;
    const auto store = open_store({.url = url_of(folder)}, clock);
    std::printf("%s\n", store->description().c_str());

    auto start = steady_clock::now();
    enqueue_all(*store, jobs);
    std::printf("bulk enqueue, groups of 1000              %10.0f jobs/s\n",
                jobs / seconds_since(start));
    JobEvents events;
    start = steady_clock::now();
    Engine engine(settings_with(10), *store, plugins->types(), clock, events);
    engine.wait_until_empty([] { return false; });
    std::printf("claimed, run and completed, 10 workers    %10.0f jobs/s\n",
                jobs / seconds_since(start));
    engine.stop();
}

// ---- latency

/// When each sample started, on the steady clock that both processes share; 0: not yet.
struct Starts {
    std::atomic<std::int64_t> at[kSamples];
    std::atomic<int> node_ready;
};

Starts& map_starts(const std::string& folder) {
    const int file = ::open((folder + "/starts").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
    if (file < 0 || ::ftruncate(file, sizeof(Starts)) != 0) std::abort();
    void* memory = ::mmap(nullptr, sizeof(Starts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) std::abort();
    ::close(file);
    return *static_cast<Starts*>(memory);
}

std::int64_t now_ns() {
    return steady_clock::now().time_since_epoch().count();
}

class NoteStart final : public JobType {
public:
    explicit NoteStart(Starts& starts) : starts_(starts) {}
    RunResult run(RunContext& context) noexcept override {
        const int sample = std::atoi(context.job().input.c_str());
        starts_.at[sample].store(now_ns());
        return Returned{};
    }

private:
    Starts& starts_;
};

/// Fails at once; its handler hangs as long as the process lives, or fails too.
class Fails final : public JobType {
public:
    RunResult run(RunContext&) noexcept override {
        return Threw{host_error("bench::Down", "as told")};
    }
};
class Hangs final : public DeadLetterHandler {
public:
    std::optional<ThrownError> handle(const Job& job, PluginContext&) noexcept override {
        while (job.input == kHang) ::pause();
        return host_error("bench::Broken", "as told");
    }
    static constexpr std::string_view kHang = "\"hang\"";
};

NewJob hostile(bool hangs) {
    return {.type = "bench.hostile",
            .input = hangs ? std::string(Hangs::kHang) : "null",
            .max_attempts = 1,
            .source = "bench"};
}

int latency_node(const std::string& folder) {
    Starts& starts = map_starts(folder);
    JobTypes types;
    LoadedType type;
    type.name = "bench.start";
    type.run = std::make_unique<NoteStart>(starts);
    types.types.push_back(std::move(type));
    LoadedType hostile;
    hostile.name = "bench.hostile";
    hostile.run = std::make_unique<Fails>();
    hostile.handler = std::make_unique<Hangs>();
    types.types.push_back(std::move(hostile));
    const SystemClock clock;
    const auto store = open_store({.url = url_of(folder)}, clock);
    JobEvents events;
    Engine engine(settings_with(4), *store, types, clock, events);
    starts.node_ready.store(1);
    ::pause();  // until it is killed
    return 0;
}

void print_percentiles(const char* what, std::vector<double> us) {
    std::ranges::sort(us);
    const auto at = [&](double share) {
        return us[std::min(us.size() - 1,
                           static_cast<std::size_t>(share * static_cast<double>(us.size())))];
    };
    std::printf("enqueue returned -> started %-13s p50 %.0f us, p99 %.0f us, max %.0f us\n", what,
                at(0.5), at(0.99), us.back());
}

void measure_latency(const std::string& folder, const std::string& self, bool is_hostile) {
    const SystemClock clock;
    const auto store = open_store({.url = url_of(folder)}, clock);
    const auto session = store->open_session();
    Starts& starts = map_starts(folder);
    std::string command = "latency-node";
    std::string program = self;
    std::string where = folder;
    char* arguments[] = {program.data(), command.data(), where.data(), nullptr};
    pid_t node = 0;
    if (::posix_spawn(&node, self.c_str(), nullptr, nullptr, arguments, environ) != 0) std::abort();
    while (starts.node_ready.load() == 0) std::this_thread::yield();

    const auto enqueue = [&](const NewJob& job) {
        if (std::holds_alternative<EnqueueRefusal>(session->enqueue(std::span(&job, 1)))) {
            std::abort();
        }
    };
    const int handlers = is_hostile ? EngineSettings{}.dead_letter_workers : 0;
    for (int i = 0; i < handlers; ++i) enqueue(hostile(true));
    std::vector<double> us;
    for (int sample = 0; sample < kSamples; ++sample) {
        if (is_hostile) enqueue(hostile(false));
        const NewJob job{.type = "bench.start", .input = std::to_string(sample), .source = "bench"};
        enqueue(job);
        const std::int64_t returned = now_ns();
        while (starts.at[sample].load() == 0) {
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        }
        us.push_back(
            static_cast<double>(std::max<std::int64_t>(starts.at[sample].load() - returned, 0)) /
            1000);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // idle again
    }
    ::kill(node, SIGKILL);
    ::waitpid(node, nullptr, 0);
    print_percentiles(is_hostile ? "beside hangs" : "elsewhere", std::move(us));
}

}  // namespace
}  // namespace jobhost

int main(int argc, char** argv) {
    if (argc == 3 && std::strcmp(argv[1], "latency-node") == 0) {
        return jobhost::latency_node(argv[2]);
    }
    if (argc < 2) {
        std::fprintf(stderr, "usage: jobs_bench PLUGIN [jobs] [folder]\n");
        return 2;
    }
    const jobhost::TempDir own;
    const std::string folder = argc > 3 ? argv[3] : own.path().string();
    const int jobs = argc > 2 ? std::atoi(argv[2]) : 300'000;
    jobhost::measure_throughput(folder, argv[1], jobs);
    for (const bool is_hostile : {false, true}) {
        const jobhost::TempDir place;
        jobhost::measure_latency(place.path().string(), "/proc/self/exe", is_hostile);
    }
    return 0;
}
