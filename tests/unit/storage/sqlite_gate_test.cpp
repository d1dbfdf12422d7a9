#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "storage/sqlite/gate.h"
#include "storage/storage_error.h"
#include "tests/support/temp_dir.h"

namespace jobhost::sqlite {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class SqliteGate : public ::testing::Test {
protected:
    std::string busy_message(Gate& gate) {
        try {
            gate.lock(0s);
        } catch (const StorageError& error) {
            EXPECT_EQ(error.kind(), StorageError::Kind::kBusy);
            return error.what();
        }
        gate.unlock();
        ADD_FAILURE() << "the gate was free";
        return {};
    }

    TempDir folder_;
    std::string path_ = (folder_.path() / "jobs.db").string();
};

/// A process that holds the gate until it is killed.
class Holder {
public:
    explicit Holder(const std::string& path) {
        int ends[2] = {-1, -1};
        EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
        pid_ = fork();
        if (pid_ == 0) {
            Gate gate(path);
            gate.lock(10s);
            if (write(ends[1], ".", 1) != 1) _exit(1);
            for (;;) pause();
        }
        char byte = 0;
        EXPECT_EQ(read(ends[0], &byte, 1), 1);
        close(ends[0]);
        close(ends[1]);
    }
    ~Holder() { end(); }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

    int pid() const { return pid_; }

    void stop() {
        kill(pid_, SIGSTOP);
        waitpid(pid_, nullptr, WUNTRACED);
    }

    void end() {
        if (pid_ == 0) return;
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }

private:
    int pid_ = 0;
};

TEST_F(SqliteGate, LetsOneInAtATimeAlsoInOneProcess) {
    constexpr int kThreads = 4;
    constexpr int kRounds = 200;
    std::atomic<int> inside = 0;
    std::atomic<int> most_inside = 0;
    int total = 0;  // guarded by the gate
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            Gate gate(path_);
            for (int round = 0; round < kRounds; ++round) {
                gate.lock(30s);
                if (++inside > 1) most_inside = 2;
                ++total;
                --inside;
                gate.unlock();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();

    EXPECT_EQ(total, kThreads * kRounds);
    EXPECT_EQ(most_inside, 0);
}

TEST_F(SqliteGate, WaitsNoLongerThanItIsAllowedToAndNamesTheHolder) {
    Holder holder(path_);
    Gate gate(path_);

    EXPECT_THAT(busy_message(gate),
                EndsWith("jobs.db: locked by pid " + std::to_string(holder.pid())));
}

TEST_F(SqliteGate, SaysThatTheHolderIsStopped) {
    Holder holder(path_);
    Gate gate(path_);
    holder.stop();

    EXPECT_THAT(busy_message(gate),
                HasSubstr("locked by pid " + std::to_string(holder.pid()) + " (stopped)"));
}

TEST_F(SqliteGate, IsFreeAgainWhenItsHolderIsKilled) {
    Holder holder(path_);
    Gate gate(path_);
    holder.end();

    gate.lock(0s);
    EXPECT_TRUE(gate.is_locked());
    gate.unlock();
}

TEST_F(SqliteGate, CountsOfKilledWaitersHeal) {
    Gate gate(path_);
    gate.page().waiters = 3;

    gate.lock(0s);
    gate.unlock();

    EXPECT_EQ(gate.page().waiters, 0);
}

TEST_F(SqliteGate, ADeletedFileIsNoticedSoThatAllUseTheSameAgain) {
    Gate one(path_);
    std::filesystem::remove(path_ + "-gate");
    Gate two(path_);

    one.lock(0s);

    EXPECT_THAT(busy_message(two), HasSubstr("locked by pid"));
    one.unlock();
}

TEST_F(SqliteGate, ItsDescriptorIsClosedByExec) {
    Gate gate(path_);
    int open_ones = 0;
    for (int descriptor = 3; descriptor < 64; ++descriptor) {
        const int flags = fcntl(descriptor, F_GETFD);
        if (flags < 0) continue;
        const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
        std::error_code ignored;
        if (std::filesystem::read_symlink(link, ignored) != path_ + "-gate") continue;
        ++open_ones;
        EXPECT_TRUE(flags & FD_CLOEXEC);
    }
    EXPECT_EQ(open_ones, 1);
}

}  // namespace
}  // namespace jobhost::sqlite
