// Jobs and handlers that write into the ledger what they do, one plugin for each service.
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include <jobhost/json.hpp>
#include <jobhost/sdk.hpp>

#include "tests/torture/ledger_file.h"

namespace {

using jobhost::CancelReason;
using jobhost::torture::append_line;
using std::chrono::milliseconds;

struct Settings {
    std::string ledger;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Settings, ledger)

/// `ms` of work, then fail the first `fail` attempts, or `then` something.
struct Work {
    int ms = 0;
    int fail = 0;
    std::string then;  // "", abort, exit, deaf, invalid, give_up, discard, snooze, child
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Work, ms, fail, then)

struct NotAcceptable : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

template <class Context, class Job>
void write_down(const Context& context, const Job& job, const std::string& what) {
    const char* host = std::getenv("TORTURE_HOST");
    append_line(context.template settings<Settings>().ledger,
                what + " job=" + std::to_string(job.id()) + " fence=" +
                    std::to_string(job.fence()) + " host=" + (host == nullptr ? "0" : host) +
                    " service=" TORTURE_SERVICE " type=" + std::string(job.type()));
}

void sleep_deaf(int ms) {
    std::this_thread::sleep_for(milliseconds(ms));
}

struct Torture : jobhost::Job<Work> {
    void execute(const Work& work, jobhost::JobContext& context) override {
        write_down(context, context,
                   "start attempt=" + std::to_string(context.attempt()) +
                       " max=" + std::to_string(context.max_attempts()));
        if (work.then == "deaf") {
            sleep_deaf(work.ms);
        } else if (work.ms > 0) {
            const CancelReason reason = context.wait_for(milliseconds(work.ms));
            if (reason == CancelReason::kShutdown) write_down(context, context, "shutdown");
            context.throw_if_cancelled();
        }
        if (work.then == "abort") std::abort();
        if (work.then == "exit") std::exit(7);
        if (work.then == "invalid") throw NotAcceptable("this input will never do");
        if (work.then == "give_up") throw jobhost::DeadLetter("not worth another attempt");
        if (work.then == "discard") throw jobhost::Discard("no longer wanted");
        if (work.then == "snooze" && context.snoozes() == 0) {
            throw jobhost::Snooze(std::chrono::seconds(1));
        }
        if (context.attempt() <= work.fail) throw std::runtime_error("fails as it was told");
        if (work.then == "child") {
            jobhost::Enqueue child;
            child.type = std::string(context.type());
            child.input = "{}";
            context.enqueue_on_success(child);
        }
        write_down(context, context, "effect");
    }
};

struct TortureDeadLetter : jobhost::DeadLetterHandler<Torture> {
    void handle(const jobhost::FailedJob& job, const jobhost::Error&,
                jobhost::DeadLetterContext& context) override {
        write_down(context, job, "handler");
        if (job.id() % 3 == 0) throw std::runtime_error("no mail server");
        if (job.id() % 3 == 1) sleep_deaf(50);
        write_down(context, job, "handled");
    }
};

struct Audit : jobhost::Forwarder {
    bool applies_to(const jobhost::FailedJob& job) override { return job.id() % 2 == 0; }
    void forward(const jobhost::FailedJob& job, const jobhost::Error&,
                 jobhost::DeadLetterContext& context) override {
        write_down(context, job, "forward");
    }
};

}  // namespace

JOBHOST_PLUGIN("torture-" TORTURE_SERVICE, "1.0.0", plugin) {
    plugin.job<Torture>(TORTURE_SERVICE ".work")
        .do_not_retry<NotAcceptable>()
        .dead_letter<TortureDeadLetter>();
    plugin.forwarder<Audit>("audit-" TORTURE_SERVICE);
}
