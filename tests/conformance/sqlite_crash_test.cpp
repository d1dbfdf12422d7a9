// Several processes on one file, killed in the middle of their transactions.

#include <csignal>
#include <fcntl.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "storage/sqlite/session.h"
#include "storage/store.h"
#include "tests/conformance/store_worker.h"
#include "tests/support/temp_dir.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;
using testing_support::StoreWorker;

class WorkerProcess {
public:
    explicit WorkerProcess(const std::string& url) {
        int pipe_ends[2] = {-1, -1};
        EXPECT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
        output_ = pipe_ends[0];
        pid_ = fork();
        if (pid_ == 0) {
            dup2(pipe_ends[1], STDOUT_FILENO);
            execl(JOBHOST_CRASH_WORKER, JOBHOST_CRASH_WORKER, url.c_str(), nullptr);
            _exit(127);
        }
        close(pipe_ends[1]);
    }
    ~WorkerProcess() {
        if (pid_ > 0) kill_now();
        close(output_);
    }
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    /// Until it came through so many exchanges more.
    void wait_for_exchanges(int count) {
        for (char byte = 0; count > 0; --count) {
            if (read(output_, &byte, 1) != 1) FAIL() << "the worker died by itself";
        }
    }

    int kill_now() {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
        const int pid = pid_;
        pid_ = 0;
        return pid;
    }

private:
    int pid_ = 0;
    int output_ = -1;
};

class SqliteCrash : public ::testing::Test {
protected:
    void enqueue(int count) {
        const std::vector<NewJob> jobs(static_cast<std::size_t>(count), NewJob{.type = "a"});
        ASSERT_TRUE(std::holds_alternative<std::vector<Enqueued>>(store_->enqueue(jobs)));
    }

    void bury(int pid) {
        for (const Node& node : store_->nodes()) {
            if (node.registration.pid != pid || node.state != NodeState::kLive) continue;
            EXPECT_TRUE(store_->declare_dead(node.id, node.beats, "killed"));
        }
        while (store_->recover_orphans(std::vector<std::string>{"a"}, 1000) > 0) {
        }
    }

    void finish_the_rest() {
        StoreWorker last(*store_, "last", {"a"});
        for (int round = 0; round < 1000; ++round) {
            const std::vector<Demand> demand{{.queue = 0, .free = 500}};
            const Exchanged answer = store_->exchange(last.node(), {}, demand);
            if (answer.claimed.empty() && !answer.next_due) return;
            std::vector<Write> writes;
            for (const ClaimedJob& job : answer.claimed) {
                writes.emplace_back(RunReport{.lease = job.lease, .next = Succeed{}});
            }
            store_->exchange(last.node(), writes, {});
        }
    }

    std::int64_t number(const std::string& sql) {
        sqlite::Session session({.path = path_}, clock_);
        sql::Query row = session.query(sql);
        return row.step() ? row.integer(0) : -1;
    }
    std::string text(const std::string& sql) {
        sqlite::Session session({.path = path_}, clock_);
        sql::Query row = session.query(sql);
        return row.step() ? row.text(0) : "";
    }

    const SystemClock clock_;
    const TempDir folder_;
    const std::string path_ = (folder_.path() / "jobs.db").string();
    const std::string url_ = "sqlite://" + path_;
    const std::unique_ptr<StoreHandle> handle_ = open_store({.url = url_}, clock_);
    const std::unique_ptr<Store> store_ = handle_->open_session();
};

TEST_F(SqliteCrash, NoJobIsLostOrDoubledWhenWorkersAreKilledInTheMiddle) {
    constexpr int kJobs = 3000;
    constexpr int kKills = 12;
    enqueue(kJobs);
    std::vector<std::unique_ptr<WorkerProcess>> workers;
    for (int i = 0; i < 3; ++i) workers.push_back(std::make_unique<WorkerProcess>(url_));

    for (int kills = 0; kills < kKills; ++kills) {
        auto& worker = workers[static_cast<std::size_t>(kills) % workers.size()];
        ASSERT_NO_FATAL_FAILURE(worker->wait_for_exchanges(2 + kills * 7 % 5));
        bury(worker->kill_now());
        worker = std::make_unique<WorkerProcess>(url_);
    }
    for (auto& worker : workers) bury(worker->kill_now());
    finish_the_rest();

    EXPECT_EQ(text("PRAGMA integrity_check"), "ok");
    EXPECT_EQ(number("SELECT count(*) FROM done WHERE state = 4"), kJobs);
    EXPECT_EQ(number("SELECT count(*) FROM pending"), 0);
    EXPECT_EQ(number("SELECT count(*) FROM running"), 0);
    EXPECT_EQ(number("SELECT count(*) FROM dead"), 0);
    EXPECT_EQ(number("SELECT sum(succeeded) FROM tally"), kJobs);
    EXPECT_EQ(number("SELECT sum(waiting + processing + failed) FROM tally"), 0);
}

}  // namespace
}  // namespace jobhost
