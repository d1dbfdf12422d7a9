#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/process/jobhost_process.h"
#include "tests/torture/control_file.h"
#include "tests/torture/fault_plan.h"

namespace jobhost::torture {

/// The services in turn: host and enqueuer `i` belong to kServices[i % 2].
inline constexpr std::array kServices = {"alpha", "beta"};

/// The hosts and enqueuers of a run. Whoever ends is started again under the same name. Everything
/// is called from the main thread: the processes die with the thread that started them.
class Crew {
public:
    Crew(test::Site& site, std::uint64_t seed);
    ~Crew();
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    void start();
    void start_hosts();

    /// Starts again what has ended since.
    void look_after();

    void kill_host(int number);
    /// It is told to, and nobody waits for its end.
    void terminate_host(int number);
    void pause_host(int number);
    void continue_host(int number);
    /// Stops it, and lets another one work under its name until `end_twin`. False: not now.
    bool start_twin(int number);
    /// The stopped one goes on and is told to end.
    void end_twin(int number);
    /// It will stop itself in a transaction; `continue_host` ends that too.
    void pause_in_transaction(int number);
    void kill_in_transaction(int number);
    void kill_enqueuer(int number);
    void kill_enqueuer_in_transaction(int number);

    /// The hosts of that one's service get this many workers.
    void reload(int number, int workers);

    /// On one machine there is one clock. `only`: that of this host, on a machine of its own.
    void set_clock(std::chrono::microseconds offset, std::optional<int> only);
    void set_sync_delay(int number, std::chrono::microseconds delay);

    void end_enqueuers();
    /// SIGTERM to all, and waits. Answers the hosts that had not ended in time.
    std::vector<std::string> stop_hosts();

    /// Ends that no fault explains, such as a host that crashed by itself.
    const std::vector<std::string>& surprises() const { return surprises_; }
    int hosts_started() const { return hosts_started_; }

private:
    struct Host {
        int slot = 0;
        pid_t pid = 0;  // 0: it has ended
        int number = 0;
        std::chrono::steady_clock::time_point launched_at = {};
        bool was_told_to_end = false;
        bool may_die = false;  // a fault may kill it
    };
    struct Enqueuer {
        pid_t pid = 0;
        std::unique_ptr<ControlFile> control;
    };

    void add_service(const std::string& service, int workers);
    Host launch(int slot);
    void start_enqueuer(int number);
    void signal(const Host& host, int signal) const;
    bool has_ended(const Host& host, std::chrono::milliseconds at_most);
    void look_after_enqueuers();
    void write_down(const std::string& line) const;

    test::Site& site_;
    const std::uint64_t seed_;
    std::array<std::unique_ptr<ControlFile>, kHosts> controls_;
    std::array<Host, kHosts> hosts_;
    std::array<std::optional<Host>, kHosts> elders_;  // stopped while a twin works
    std::array<Enqueuer, kEnqueuers> enqueuers_;
    int hosts_started_ = 0;
    int enqueuers_started_ = 0;
    bool enqueues_ = false;
    std::vector<std::string> surprises_;
};

}  // namespace jobhost::torture
