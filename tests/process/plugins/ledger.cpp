// The plugin of the process tests: jobs and handlers that write down what they did, in a file that
// nobody but them writes, so that a test can compare what happened with what the store says.
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

#include <jobhost/json.hpp>
#include <jobhost/sdk.hpp>

namespace {

struct Settings {
    std::string ledger;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Settings, ledger)

/// What a job is to do: `ms` of work, then fail the first `fail` attempts, or `then` something; and
/// what its dead-letter handler and its forwarder do.
struct Work {
    int ms = 0;
    int fail = 0;
    std::string then;     // "", "exit", "abort", "invalid", "int"
    std::string handler;  // "", "hold", "throw", "int"
    std::string forward;  // "": does not apply; "ok", "hold", "throw", "int"
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Work, ms, fail, then, handler, forward)

struct NotAcceptable : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// One line in one write: lines of several processes never mix.
template <class Context>
void write_down(const Context& context, const std::string& line) {
    const auto settings = context.template settings<Settings>();
    if (settings.ledger.empty()) return;
    const int file =
        ::open(settings.ledger.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
    const std::string text = line + "\n";
    const bool written =
        ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::close(file);
    if (!written) throw std::runtime_error("cannot write the ledger");
}

/// As long as the test says so, and deaf to every request to stop.
template <class Context>
void hold(const Context& context) {
    const std::string file = context.template settings<Settings>().ledger + ".hold";
    while (::access(file.c_str(), F_OK) == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

template <class Context>
void misbehave(const Context& context, const std::string& how) {
    if (how == "hold") hold(context);
    if (how == "throw") throw std::runtime_error("no mail server");
    if (how == "int") throw 42;
}

Work work_of(const jobhost::FailedJob& job) {
    try {
        return job.input<Work>();
    } catch (const jobhost::PayloadError&) {
        return {};
    }
}

template <class Name>
struct Worker : jobhost::Job<Work> {
    void execute(const Work& work, jobhost::JobContext& context) override {
        write_down(context, "run " + std::to_string(context.id()) + " " +
                                std::to_string(context.attempt()) + " " +
                                std::to_string(context.fence()));
        if (work.ms > 0) context.sleep_for(std::chrono::milliseconds(work.ms));
        write_down(context, "worked " + std::to_string(context.id()));
        if (work.then == "exit") std::exit(7);
        if (work.then == "abort") std::abort();
        if (work.then == "invalid") throw NotAcceptable("this input will never do");
        if (work.then == "int") throw 42;
        if (context.attempt() <= work.fail) {
            throw std::runtime_error("attempt " + std::to_string(context.attempt()) + " fails");
        }
        write_down(context,
                   "done " + std::to_string(context.id()) + " " + std::to_string(context.fence()));
    }
};

template <class JobType>
struct DeadLetter : jobhost::DeadLetterHandler<JobType> {
    void handle(const jobhost::FailedJob& job, const jobhost::Error& error,
                jobhost::DeadLetterContext& context) override {
        write_down(context, "dead " + std::to_string(job.id()) + " " + std::string(error.type()));
        misbehave(context, work_of(job).handler);
        write_down(context, "handled " + std::to_string(job.id()));
    }
};

struct Audit : jobhost::Forwarder {
    bool applies_to(const jobhost::FailedJob& job) override {
        return !work_of(job).forward.empty();
    }
    void forward(const jobhost::FailedJob& job, const jobhost::Error&,
                 jobhost::DeadLetterContext& context) override {
        write_down(context, "forward " + std::to_string(job.id()));
        misbehave(context, work_of(job).forward);
        write_down(context, "forwarded " + std::to_string(job.id()));
    }
};

struct A {};
struct B {};

}  // namespace

#ifndef LEDGER_SERVICE
#define LEDGER_SERVICE A
#define LEDGER_NAME "a"
#endif

JOBHOST_PLUGIN("ledger-" LEDGER_NAME, "1.0.0", plugin) {
    using Job = Worker<LEDGER_SERVICE>;
    plugin.job<Job>(LEDGER_NAME ".work")
        .do_not_retry<NotAcceptable>()
        .dead_letter<DeadLetter<Job>>();
    plugin.forwarder<Audit>("audit-" LEDGER_NAME);
}
