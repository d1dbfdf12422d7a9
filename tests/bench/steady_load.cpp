#include <cstdio>
#include <thread>

#include "storage/postgres/connection.h"
#include "tests/bench/benchmarks.h"
#include "tests/bench/suite_types.h"

namespace jobhost::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kWorkers = 10;
constexpr std::int64_t kWaitingMost = 50'000;
constexpr int kMinutes = 4;
constexpr int kIntervals = kMinutes * 4;
constexpr auto kInterval = 15s;

/// Keeps some jobs waiting at all times, so that the node works as fast as it can.
class Feeder {
public:
    Feeder(StoreHandle& store, Board& board)
        : thread_([&](const std::stop_token& stop) {
              const auto session = store.open_session();
              const std::vector<NewJob> group(
                  kGroup, NewJob{.type = kNoop, .input = usual_input(), .source = "bench"});
              while (!stop.stop_requested()) {
                  if (stored_ - board.ended.load() > kWaitingMost) {
                      std::this_thread::sleep_for(1ms);
                      continue;
                  }
                  enqueue(*session, group);
                  stored_ += kGroup;
              }
          }) {}

private:
    std::int64_t stored_ = 0;
    std::jthread thread_;
};

/// Sizes and dead rows of the tables that every job goes through.
void show_tables(const StoreOptions& store) {
    postgres::Connection server({.url = store.url, .schema = store.schema});
    const postgres::Result rows = server.exec(
        "SELECT relname, n_live_tup, n_dead_tup, pg_relation_size(relid), pg_indexes_size(relid), "
        "autovacuum_count, autoanalyze_count FROM pg_stat_user_tables WHERE schemaname = "
        "current_schema() AND relname IN ('job', 'pending', 'running', 'done', 'tally', 'stat', "
        "'node') ORDER BY relname");
    std::fprintf(stderr, "%12s %12s %12s %14s %14s %8s %8s\n", "table", "live", "dead", "heap",
                 "indexes", "vacuums", "analyses");
    for (int row = 0; row < rows.rows(); ++row) {
        std::fprintf(stderr, "%12s %12lld %12lld %14lld %14lld %8lld %8lld\n",
                     std::string(rows.view(row, 0)).c_str(),
                     static_cast<long long>(rows.integer(row, 1)),
                     static_cast<long long>(rows.integer(row, 2)),
                     static_cast<long long>(rows.integer(row, 3)),
                     static_cast<long long>(rows.integer(row, 4)),
                     static_cast<long long>(rows.integer(row, 5)),
                     static_cast<long long>(rows.integer(row, 6)));
    }
}

double mebibytes(const StoreOptions& store, const std::string& table) {
    postgres::Connection server({.url = store.url, .schema = store.schema});
    const auto bytes =
        server.exec("SELECT pg_total_relation_size('" + table + "'::regclass)").integer(0, 0);
    return static_cast<double>(bytes) / 1048576;
}

}  // namespace

void steady_load(Subject& subject) {
    const FreshStore store(subject);
    const SharedBoard board;
    board->go = true;
    NodeProcess node(store.options(), kWorkers, board);
    const Feeder feeder(*store, *board);
    std::vector<double> rates;
    for (int i = 1; i <= kIntervals; ++i) {
        const std::int64_t before = board->ended.load();
        const std::int64_t start = steady_now();
        std::this_thread::sleep_for(kInterval);
        const double seconds = static_cast<double>(steady_now() - start) / 1e9;
        rates.push_back(static_cast<double>(board->ended.load() - before) / seconds);
        std::fprintf(stderr, "%-10s steady: %4d s %10.0f jobs/s\n", subject.engine().c_str(),
                     i * 15, rates.back());
        if (subject.is_postgres() && i % 4 == 0) show_tables(store.options());
    }
    double first = 0;
    double last = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        first += rates[i] / 4;
        last += rates[rates.size() - 1 - i] / 4;
    }
    subject.add({.name = "first_minute",
                 .title = "enqueued and run together, first minute",
                 .unit = "jobs/s",
                 .value = first});
    subject.add({.name = "last_minute",
                 .title = "the same, minute " + std::to_string(kMinutes),
                 .unit = "jobs/s",
                 .value = last});
    if (!subject.is_postgres()) return;
    for (const char* table : {"pending", "running", "tally", "stat"}) {
        subject.add({.name = std::string(table) + "_size",
                     .title = std::string("table ") + table + " with indexes, then",
                     .unit = "MiB",
                     .value = mebibytes(store.options(), table),
                     .less_is_better = true});
    }
}

}  // namespace jobhost::bench
