// How many jobs per second the store takes in, and hands out and ends, without any job being run;
// next to what SQLite itself does: a FIFO table that rows are read and deleted from, and the same
// with the rows that any such store has to keep (one while a job runs, one when it has ended).
//
//   storage_bench [folder] [jobs]

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sqlite3.h>
#include <string>
#include <vector>

#include "storage/store.h"
#include "tests/support/temp_dir.h"

namespace jobhost {
namespace {

using std::chrono::steady_clock;

const std::string kInput =
    R"({"order_id":"0123456789","amount":12.5,"note":")" + std::string(155, 'x') + "\"}";

double seconds_since(steady_clock::time_point start) {
    return std::chrono::duration<double>(steady_clock::now() - start).count();
}

int jobs_for(int batch, int most) {
    return std::min(most, batch * (batch < 10 ? 2000 : 1000));
}

struct Speed {
    double enqueue = 0;
    double claim_and_complete = 0;
};

void enqueue_all(Store& store, int jobs, int batch) {
    std::vector<NewJob> bulk(static_cast<std::size_t>(batch),
                             NewJob{.type = "bench.noop", .input = kInput});
    for (int done = 0; done < jobs; done += batch) {
        const EnqueueResult result = store.enqueue(bulk);
        if (std::holds_alternative<EnqueueRefusal>(result)) std::abort();
    }
}

void drain(Store& store, NodeId node, int jobs, int batch) {
    std::vector<Write> writes;
    const std::vector<Demand> demand{{.queue = 0, .free = batch}};
    for (int done = 0; done < jobs;) {
        const Exchanged answer = store.exchange(node, writes, demand);
        writes.clear();
        for (const ClaimedJob& job : answer.claimed) {
            writes.emplace_back(
                RunReport{.lease = job.lease, .next = Succeed{}, .started_at = job.claimed_at});
        }
        done += static_cast<int>(writes.size());
        if (answer.claimed.empty()) break;
    }
    store.exchange(node, writes, {});
}

Speed measure(const std::string& file, int jobs, int batch) {
    const SystemClock clock;
    const auto handle = open_store({.url = "sqlite://" + file}, clock);
    const auto store = handle->open_session();
    const NodeId node = store->register_node(
        {.incarnation = std::string(32, 'a'), .name = "bench", .types = {{.name = "bench.noop"}}});
    store->set_claim_plan({{.name = "default", .types = {{.name = "bench.noop"}}}});

    Speed speed;
    auto start = steady_clock::now();
    enqueue_all(*store, jobs, batch);
    speed.enqueue = jobs / seconds_since(start);
    start = steady_clock::now();
    drain(*store, node, jobs, batch);
    speed.claim_and_complete = jobs / seconds_since(start);
    return speed;
}

/// What is kept of each job besides its place in the queue.
enum class Kept { kNothing, kRunningAndDone };

class Bare {
public:
    explicit Bare(const std::string& file) {
        sqlite3_open(file.c_str(), &handle_);
        exec(
            "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA cache_size=-32768;"
            "PRAGMA wal_autocheckpoint=2000;"
            "CREATE TABLE queue (id INTEGER PRIMARY KEY, input BLOB);"
            "CREATE TABLE running (id INTEGER PRIMARY KEY, node INTEGER, at INTEGER);"
            "CREATE TABLE done (id INTEGER PRIMARY KEY, node INTEGER, at INTEGER)");
        insert_ = prepare("INSERT INTO queue (input) VALUES (?)");
        select_ = prepare("SELECT id, input FROM queue ORDER BY id LIMIT ?");
        remove_ = prepare("DELETE FROM queue WHERE id <= ?");
        start_ = prepare("INSERT INTO running VALUES (?, 1, 1700000000000000)");
        stop_ = prepare("DELETE FROM running WHERE id = ? AND node = 1");
        end_ = prepare("INSERT INTO done VALUES (?, 1, 1700000000000000)");
    }
    ~Bare() {
        for (sqlite3_stmt* one : {insert_, select_, remove_, start_, stop_, end_}) {
            sqlite3_finalize(one);
        }
        sqlite3_close(handle_);
    }
    Bare(const Bare&) = delete;
    Bare& operator=(const Bare&) = delete;

    void enqueue(int jobs, int batch) {
        for (int done = 0; done < jobs; done += batch) {
            exec("BEGIN IMMEDIATE");
            for (int i = 0; i < batch; ++i) {
                sqlite3_bind_blob(insert_, 1, kInput.data(), static_cast<int>(kInput.size()),
                                  SQLITE_STATIC);
                sqlite3_step(insert_);
                sqlite3_reset(insert_);
            }
            exec("COMMIT");
        }
    }

    void drain(int batch, Kept kept) {
        std::vector<sqlite3_int64> ids;
        std::vector<std::string> inputs;
        do {
            exec("BEGIN IMMEDIATE");
            if (kept == Kept::kRunningAndDone) end_all(ids);
            take(batch, ids, inputs);
            if (kept == Kept::kRunningAndDone) {
                for (const sqlite3_int64 id : ids) run(start_, id);
            }
            exec("COMMIT");
        } while (!inputs.empty());
    }

private:
    void take(int batch, std::vector<sqlite3_int64>& ids, std::vector<std::string>& inputs) {
        ids.clear();
        inputs.clear();
        sqlite3_bind_int(select_, 1, batch);
        while (sqlite3_step(select_) == SQLITE_ROW) {
            ids.push_back(sqlite3_column_int64(select_, 0));
            inputs.emplace_back(static_cast<const char*>(sqlite3_column_blob(select_, 1)),
                                static_cast<std::size_t>(sqlite3_column_bytes(select_, 1)));
        }
        sqlite3_reset(select_);
        if (!ids.empty()) run(remove_, ids.back());
    }

    void end_all(const std::vector<sqlite3_int64>& ids) {
        for (const sqlite3_int64 id : ids) {
            run(stop_, id);
            run(end_, id);
        }
    }

    static void run(sqlite3_stmt* statement, sqlite3_int64 id) {
        sqlite3_bind_int64(statement, 1, id);
        if (sqlite3_step(statement) != SQLITE_DONE) std::abort();
        sqlite3_reset(statement);
    }
    void exec(const char* sql) {
        if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) std::abort();
    }
    sqlite3_stmt* prepare(const char* sql) {
        sqlite3_stmt* statement = nullptr;
        sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr);
        return statement;
    }

    sqlite3* handle_ = nullptr;
    sqlite3_stmt* insert_ = nullptr;
    sqlite3_stmt* select_ = nullptr;
    sqlite3_stmt* remove_ = nullptr;
    sqlite3_stmt* start_ = nullptr;
    sqlite3_stmt* stop_ = nullptr;
    sqlite3_stmt* end_ = nullptr;
};

Speed measure_bare(const std::string& file, int jobs, int batch, Kept kept) {
    Bare bare(file);
    Speed speed;
    auto start = steady_clock::now();
    bare.enqueue(jobs, batch);
    speed.enqueue = jobs / seconds_since(start);
    start = steady_clock::now();
    bare.drain(batch, kept);
    speed.claim_and_complete = jobs / seconds_since(start);
    return speed;
}

int run(const std::string& folder, int most) {
    std::printf("%6s %8s | %-29s | %s\n", "", "", "enqueue, jobs/s", "claim and complete, jobs/s");
    std::printf("%6s %8s | %9s %9s %9s | %9s %9s %9s %9s\n", "batch", "jobs", "jobhost", "bare",
                "ratio", "jobhost", "bare FIFO", "same rows", "ratio");
    for (const int batch : {1, 10, 100, 1000}) {
        const int jobs = jobs_for(batch, most);
        const std::string file = folder + "/" + std::to_string(batch);
        const Speed ours = measure(file + ".db", jobs, batch);
        const Speed fifo = measure_bare(file + ".fifo.db", jobs, batch, Kept::kNothing);
        const Speed same = measure_bare(file + ".same.db", jobs, batch, Kept::kRunningAndDone);
        std::printf("%6d %8d | %9.0f %9.0f %9.2f | %9.0f %9.0f %9.0f %9.2f\n", batch, jobs,
                    ours.enqueue, same.enqueue, ours.enqueue / same.enqueue,
                    ours.claim_and_complete, fifo.claim_and_complete, same.claim_and_complete,
                    ours.claim_and_complete / same.claim_and_complete);
    }
    return 0;
}

}  // namespace
}  // namespace jobhost

int main(int argc, char** argv) {
    const jobhost::TempDir own;
    const std::string folder = argc > 1 ? argv[1] : own.path().string();
    return jobhost::run(folder, argc > 2 ? std::atoi(argv[2]) : 300'000);
}
