// SPEC 7: requeue, rule by rule.
#include <functional>

#include "tests/unit/rules/rule_site.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

class RequeueRules : public testing::TestWithParam<SiteRule> {};

TEST_P(RequeueRules, Hold) {
    RuleSite site;
    EXPECT_EQ(GetParam().shows(site), GetParam().outcome) << GetParam().words;
}

/// A job that failed at its second attempt after a snooze, with checkpoint and deadline.
JobId failed_job(RuleSite& site) {
    std::atomic<int> runs = 0;
    add_type(
        site.its_types(), "a",
        [&](RunContext& context) -> RunResult {
            context.log(LogLevel::kInfo, "hello");
            context.save_checkpoint("7");
            ++runs;
            return Threw{thrown("Down")};
        },
        retry_at_once(2), site.noted("handler"));
    const JobId id = site.enqueue_a({.type = "a", .deadline_after = 1h, .idempotency_key = "k"});
    site.rows_after_run(id);
    site.stop_node();
    return id;
}

std::string requeued(RuleSite& site, bool fresh,
                     const std::function<std::string(const Job&)>& told) {
    const JobId id = failed_job(site);
    const auto answer = site.session().requeue_job(id, fresh);
    if (answer.outcome != ControlAnswer::Outcome::kDone) return answer.reason;
    return told(site.read(id));
}

std::string double_click(RuleSite& site) {
    const JobId id = failed_job(site);
    site.session().requeue_job(id, false);
    const auto second = site.session().requeue_job(id, false);
    return second.outcome == ControlAnswer::Outcome::kRefused ? second.reason : "done twice";
}

std::string key_of_another(RuleSite& site) {
    const JobId id = failed_job(site);
    const JobId other = site.enqueue_a({.type = "a", .idempotency_key = "k"});
    const auto answer = site.session().requeue_job(id, false);
    const std::string named = "job " + std::to_string(other) + " holds";
    return answer.outcome == ControlAnswer::Outcome::kRefused && answer.reason.starts_with(named)
               ? "refused, naming the other"
               : "not refused: " + answer.reason;
}

const SiteRule kRequeue[] = {
    {"requeue begins anew",
     [](RuleSite& site) {
         return requeued(site, false, [](const Job& job) {
             return std::string(to_string(job.state)) + ", " + std::to_string(job.attempts) +
                    " attempts" + (job.reason.empty() ? "" : ", reason") +
                    (job.expires_at ? ", deadline" : "") + (job.started_at ? ", start" : "") +
                    (job.finished_at ? ", finish" : "");
         });
     },
     "enqueued, 0 attempts"},
    {"requeue keeps errors, log, fence, source and checkpoint",
     [](RuleSite& site) {
         return requeued(site, false, [](const Job& job) {
             return std::to_string(job.errors.size()) + " errors, " +
                    std::to_string(job.log.size()) + " lines, fence " + std::to_string(job.fence) +
                    ", checkpoint " + job.checkpoint.value_or("none");
         });
     },
     "2 errors, 2 lines, fence 2, checkpoint 7"},
    {"requeue keeps the history of dead-letter runs",
     [](RuleSite& site) {
         const JobId id = failed_job(site);
         site.session().requeue_job(id, false);
         return site.rows(id);
     },
     "a succeeded"},
    {"fresh drops the checkpoint",
     [](RuleSite& site) {
         return requeued(site, true,
                         [](const Job& job) { return job.checkpoint.value_or("none"); });
     },
     "none"},
    {"a double click does nothing twice", double_click, "job 1 has not ended: it is enqueued"},
    {"it is refused when another live job holds the key by now", key_of_another,
     "refused, naming the other"},
};
INSTANTIATE_TEST_SUITE_P(Requeue, RequeueRules, testing::ValuesIn(kRequeue),
                         name_of_rule<SiteRule>);

}  // namespace
}  // namespace jobhost
