#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/process/jobhost_process.h"
#include "tests/support/postgres_server.h"
#include "tests/torture/crew.h"
#include "tests/torture/disk.h"
#include "tests/torture/fault_plan.h"

namespace jobhost::torture {

/// What faults need besides the crew.
struct Surroundings {
    Engine engine = Engine::kSqlite;
    const Disk* disk = nullptr;              // none: no fault of the disk
    const PostgresServer* server = nullptr;  // with PostgreSQL
};

/// Brings faults about and takes them back when their time is over.
class Injector {
public:
    Injector(test::Site& site, Crew& crew, Surroundings surroundings);
    ~Injector();
    Injector(const Injector&) = delete;
    Injector& operator=(const Injector&) = delete;

    void inject(const Fault& fault);
    /// Takes back what has lasted long enough.
    void look_after();
    /// Takes back everything and waits for what still happens.
    void end_all();

    const std::map<FaultKind, int>& injected() const { return injected_; }
    /// Of those that could not be brought about: why.
    const std::map<std::string, int>& skipped() const { return skipped_; }

private:
    using Clock = std::chrono::steady_clock;
    struct Undo {
        Clock::time_point at;
        std::function<void()> what;
    };

    void undo_later(const Fault& fault, std::function<void()> what);
    /// On a thread of its own, as faults that take their time must not keep the next one back.
    void beside(std::function<void()> what);
    void inject_in_crew(const Fault& fault);
    void inject_around(const Fault& fault);
    void enqueue_poison(const Fault& fault, const std::string& input);
    void cancel_some(const std::string& service);
    void requeue_some(const std::string& service);
    void skip(const Fault& fault, const std::string& why);

    test::Site& site_;
    Crew& crew_;
    const Surroundings surroundings_;
    std::vector<Undo> undos_;
    std::vector<std::jthread> beside_;
    std::map<FaultKind, int> injected_;
    std::map<std::string, int> skipped_;
    std::shared_ptr<std::atomic<bool>> server_is_up_ = std::make_shared<std::atomic<bool>>(true);
};

}  // namespace jobhost::torture
