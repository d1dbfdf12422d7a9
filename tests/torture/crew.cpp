#include "tests/torture/crew.h"

#include <csignal>
#include <fcntl.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/torture/ledger_file.h"

namespace jobhost::torture {
namespace {

using namespace std::chrono_literals;

constexpr auto kStopLimit = 30s;
constexpr auto kLaunchEvery = 300ms;
/// What a host may end with since a job called abort() or exit().
constexpr int kAborted = 128 + SIGABRT;
constexpr int kExitByPlugin = 70;

constexpr int kWorkers = 6;

std::string rules(int workers) {
    return "node: \"${TORTURE_NODE:-operator}\"\n"
           "retry: { max_attempts: 40, initial_delay: 50ms, multiplier: 1.5, max_delay: 1s }\n"
           "queues: [ { name: default, workers: " +
           std::to_string(workers) +
           " } ]\n"
           "heartbeat: { interval: 200ms, timeout: " +
           std::to_string(kHeartbeatTimeout.count()) +
           "ms }\n"
           "shutdown: { grace: 200ms, cancel: 400ms }\n"
           "retention: { succeeded: 0, failed: 0, expired: 0, cancelled: 0 }\n";
}

std::string service_of(int number) {
    return kServices[static_cast<std::size_t>(number) % kServices.size()];
}

template <class Array>
auto& at(Array& array, int number) {
    return array.at(static_cast<std::size_t>(number));
}

}  // namespace

Crew::Crew(test::Site& site, std::uint64_t seed) : site_(site), seed_(seed) {
    for (const char* service : kServices) add_service(service, kWorkers);
    for (int slot = 0; slot < kHosts; ++slot) {
        at(controls_, slot) = std::make_unique<ControlFile>(
            (site_.folder() / ("control" + std::to_string(slot))).string());
    }
    for (int number = 0; number < kEnqueuers; ++number) {
        at(enqueuers_, number).control = std::make_unique<ControlFile>(
            (site_.folder() / ("enqueuer" + std::to_string(number))).string());
    }
}

Crew::~Crew() {
    end_enqueuers();  // hosts are killed by their site
}

void Crew::start_hosts() {
    for (int slot = 0; slot < kHosts; ++slot) at(hosts_, slot) = launch(slot);
}

void Crew::start() {
    start_hosts();
    enqueues_ = true;
    for (int number = 0; number < kEnqueuers; ++number) start_enqueuer(number);
}

Crew::Host Crew::launch(int slot) {
    const std::string service = service_of(slot);
    Host host{.slot = slot, .number = ++hosts_started_};
    at(controls_, slot)->at_commit(TORTURE_GO_ON);  // what was meant for the one before
    host.launched_at = std::chrono::steady_clock::now();
    host.pid = site_.start_command(
        service, {"run"},
        {std::string("LD_PRELOAD=") + TORTURE_SHIM, at(controls_, slot)->environment(),
         "TORTURE_PARENT=" + std::to_string(::getpid()),
         "TORTURE_HOST=" + std::to_string(host.number),
         "TORTURE_NODE=" + service + std::to_string(slot)});
    write_down("host number=" + std::to_string(host.number) + " slot=" + std::to_string(slot) +
               " service=" + service + " pid=" + std::to_string(host.pid));
    return host;
}

void Crew::look_after() {
    const auto now = std::chrono::steady_clock::now();
    for (Host& host : hosts_) {
        if (host.pid != 0 && has_ended(host, 0ms)) host.pid = 0;
        // One that could not start since the store was away tries again a little later.
        if (host.pid == 0 && now - host.launched_at >= kLaunchEvery) host = launch(host.slot);
    }
    for (std::optional<Host>& elder : elders_) {
        if (elder && has_ended(*elder, 0ms)) elder.reset();
    }
    look_after_enqueuers();
}

bool Crew::has_ended(const Host& host, std::chrono::milliseconds at_most) {
    const std::filesystem::path log = site_.log_file(host.pid);
    const auto code = site_.wait(host.pid, at_most);
    if (!code) return false;
    write_down("ended host=" + std::to_string(host.number) + " code=" + std::to_string(*code) +
               " asked=" + (host.was_told_to_end ? "1" : "0"));
    const std::string said = test::read_file(log);
    const bool was_ready = said.find("ready") != std::string::npos;
    const bool is_expected = (*code == 1 && (host.was_told_to_end || !was_ready)) ||
                             (*code == 0 && host.was_told_to_end) ||
                             (*code == 128 + SIGTERM && host.was_told_to_end && said.empty()) ||
                             (*code == 128 + SIGKILL && host.may_die) || *code == kAborted ||
                             *code == kExitByPlugin;
    if (!is_expected) {
        surprises_.push_back("host " + std::to_string(host.number) + " ended with " +
                             std::to_string(*code) + (host.was_told_to_end ? ", told to end" : "") +
                             ", see " + log.string());
    }
    return true;
}

void Crew::signal(const Host& host, int signal) const {
    if (host.pid != 0) site_.signal(host.pid, signal);
}

void Crew::kill_host(int number) {
    at(hosts_, number).may_die = true;
    signal(at(hosts_, number), SIGKILL);
}

void Crew::terminate_host(int number) {
    at(hosts_, number).was_told_to_end = true;
    signal(at(hosts_, number), SIGTERM);
}

void Crew::pause_host(int number) {
    write_down("paused host=" + std::to_string(at(hosts_, number).number));
    signal(at(hosts_, number), SIGSTOP);
}

void Crew::continue_host(int number) {
    at(controls_, number)->at_commit(TORTURE_GO_ON);
    signal(at(hosts_, number), SIGCONT);
    // It shares the control file, so the one who stopped in a transaction may be the elder.
    if (const auto& elder = at(elders_, number); elder && elder->was_told_to_end) {
        signal(*elder, SIGCONT);
    }
}

bool Crew::start_twin(int number) {
    if (at(elders_, number) || at(hosts_, number).pid == 0) return false;
    pause_host(number);
    at(elders_, number) = at(hosts_, number);
    at(hosts_, number) = launch(number);
    return true;
}

void Crew::end_twin(int number) {
    std::optional<Host>& elder = at(elders_, number);
    if (!elder) return;
    elder->was_told_to_end = true;
    signal(*elder, SIGTERM);
    signal(*elder, SIGCONT);
}

void Crew::pause_in_transaction(int number) {
    write_down("paused host=" + std::to_string(at(hosts_, number).number));
    at(controls_, number)->at_commit(TORTURE_STOP);
}

void Crew::kill_in_transaction(int number) {
    at(hosts_, number).may_die = true;
    if (at(elders_, number)) at(elders_, number)->may_die = true;
    at(controls_, number)->at_commit(TORTURE_DIE);
}

void Crew::kill_enqueuer(int number) {
    if (at(enqueuers_, number).pid != 0) ::kill(at(enqueuers_, number).pid, SIGKILL);
}

void Crew::kill_enqueuer_in_transaction(int number) {
    at(enqueuers_, number).control->at_commit(TORTURE_DIE);
}

void Crew::add_service(const std::string& service, int workers) {
    site_.add_service(service, {std::string(TORTURE_PLUGINS) + "/torture_" + service + ".so"},
                      rules(workers));
}

void Crew::reload(int number, int workers) {
    add_service(service_of(number), workers);
    for (const Host& host : hosts_) {
        // Before it is ready the signal still ends it.
        const std::string said = host.pid == 0 ? "" : test::read_file(site_.log_file(host.pid));
        if (service_of(host.slot) == service_of(number) &&
            said.find("ready") != std::string::npos) {
            signal(host, SIGHUP);
        }
    }
}

void Crew::set_clock(std::chrono::microseconds offset, std::optional<int> only) {
    for (int slot = 0; slot < kHosts; ++slot) {
        if (!only || *only == slot) at(controls_, slot)->set_clock(offset);
    }
    if (only) return;
    for (Enqueuer& enqueuer : enqueuers_) enqueuer.control->set_clock(offset);
}

void Crew::set_sync_delay(int number, std::chrono::microseconds delay) {
    at(controls_, number)->set_sync_delay(delay);
}

void Crew::start_enqueuer(int number) {
    const std::string own = std::to_string(++enqueuers_started_);
    const std::string preload = std::string("LD_PRELOAD=") + TORTURE_SHIM;
    const std::string control = at(enqueuers_, number).control->environment();
    const std::string log = (site_.folder() / "enqueuers.log").string();
    const std::array<std::string, 7> words = {
        TORTURE_ENQUEUER,
        site_.url(),
        site_.schema(),
        service_of(number),
        own,
        std::to_string(seed_ * 1000 + static_cast<std::uint64_t>(enqueuers_started_)),
        site_.ledger().string()};
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) throw std::runtime_error("cannot fork");
    if (pid != 0) {
        at(enqueuers_, number).pid = pid;
        return;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    const int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0640);
    ::dup2(fd, 2);
    ::putenv(const_cast<char*>(preload.c_str()));
    ::putenv(const_cast<char*>(control.c_str()));
    std::array<char*, 8> argv{};
    for (std::size_t i = 0; i < words.size(); ++i) argv[i] = const_cast<char*>(words[i].c_str());
    ::execv(argv[0], argv.data());
    ::_exit(127);
}

void Crew::look_after_enqueuers() {
    if (!enqueues_) return;
    for (int number = 0; number < kEnqueuers; ++number) {
        int status = 0;
        if (::waitpid(at(enqueuers_, number).pid, &status, WNOHANG) != at(enqueuers_, number).pid) {
            continue;
        }
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
            surprises_.push_back("an enqueuer ended with status " + std::to_string(status));
        }
        at(enqueuers_, number).control->at_commit(TORTURE_GO_ON);
        start_enqueuer(number);
    }
}

void Crew::end_enqueuers() {
    enqueues_ = false;
    for (Enqueuer& enqueuer : enqueuers_) {
        if (enqueuer.pid == 0) continue;
        ::kill(enqueuer.pid, SIGKILL);
        ::waitpid(enqueuer.pid, nullptr, 0);
        enqueuer.pid = 0;
    }
}

std::vector<std::string> Crew::stop_hosts() {
    for (int slot = 0; slot < kHosts; ++slot) {
        at(controls_, slot)->set_sync_delay(0us);
        end_twin(slot);
        continue_host(slot);
        terminate_host(slot);
    }
    std::vector<std::string> late;
    const auto until = std::chrono::steady_clock::now() + kStopLimit;
    const auto wait_for = [&](const Host& host) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            until - std::chrono::steady_clock::now());
        if (host.pid == 0 || has_ended(host, std::max(left, 0ms))) return;
        late.push_back("host " + std::to_string(host.number) + " did not end after SIGTERM");
        site_.kill(host.pid);
    };
    for (const Host& host : hosts_) wait_for(host);
    for (std::optional<Host>& elder : elders_) {
        if (elder) wait_for(*elder);
        elder.reset();
    }
    return late;
}

void Crew::write_down(const std::string& line) const {
    append_line(site_.ledger().string(), line);
}

}  // namespace jobhost::torture
