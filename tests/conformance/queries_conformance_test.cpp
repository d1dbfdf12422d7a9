// What every storage engine must answer to the questions of people: see storage/job_queries.h.

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/storage_error.h"
#include "tests/conformance/storage_fixture.h"
#include "tests/conformance/store_worker.h"

namespace jobhost::testing_support {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Optional;

TEST_P(StorageTest, FindJobShowsWhatWasEnqueued) {
    const std::string input = " {\"n\" : 1e400, \"x\":[-0.0, 9007199254740993] }";
    const TimePoint run_at = clock_.now() + 60s;
    const NewJob made{.type = "pay",
                      .input = input,
                      .queue = "critical",
                      .priority = Priority::kHigh,
                      .tags = {"caf\xC3\xA9", "b c"},
                      .max_attempts = 7,
                      .run_at = run_at,
                      .deadline_after = 10s,
                      .timeout = 0s,
                      .idempotency_key = "key-1",
                      .traceparent = "00-abc-def-01",
                      .source = "cli"};

    const JobId id = enqueue_one(*store_, made);

    const std::optional<Job> job = store_->find_job(id);
    ASSERT_TRUE(job.has_value());
    EXPECT_EQ(job->id, id);
    EXPECT_EQ(job->type, "pay");
    EXPECT_EQ(job->queue, "critical");
    EXPECT_EQ(job->priority, Priority::kHigh);
    EXPECT_THAT(job->tags, ElementsAre("caf\xC3\xA9", "b c"));
    EXPECT_EQ(job->input, input);
    EXPECT_EQ(job->input_bytes, input.size());
    EXPECT_EQ(job->state, JobState::kScheduled);
    EXPECT_EQ(job->attempts, 0);
    EXPECT_EQ(job->fence, 0);
    EXPECT_EQ(job->max_attempts, std::nullopt);
    EXPECT_THAT(job->max_attempts_requested, Optional(7));
    EXPECT_THAT(job->timeout_requested, Optional(Duration(0)));
    EXPECT_EQ(job->created_at, clock_.now());
    EXPECT_EQ(job->run_at, run_at);
    EXPECT_THAT(job->expires_at, Optional(run_at + 10s));
    EXPECT_EQ(job->node, 0);
    EXPECT_EQ(job->source, "cli");
    EXPECT_THAT(job->idempotency_key, Optional(std::string("key-1")));
    EXPECT_THAT(job->traceparent, Optional(std::string("00-abc-def-01")));
    EXPECT_EQ(job->last_error, std::nullopt);
}

TEST_P(StorageTest, FindJobKnowsNoJobThatWasNeverMade) {
    EXPECT_EQ(store_->find_job(1), std::nullopt);
    EXPECT_EQ(store_->find_job(-5), std::nullopt);
}

TEST_P(StorageTest, AScheduledJobIsEnqueuedWhenItsTimeHasCome) {
    const JobId id = enqueue_one(*store_, {.type = "pay", .delay = 10s});
    EXPECT_EQ(store_->find_job(id)->state, JobState::kScheduled);

    clock_.advance(10s);

    EXPECT_EQ(store_->find_job(id)->state, JobState::kEnqueued);
}

TEST_P(StorageTest, FindJobFollowsAJobThroughItsRuns) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId id = enqueue_one(*store_, {.type = "pay"});
    const ClaimedJob first = worker.claim_one();
    const TimePoint first_claim = clock_.now();

    std::optional<Job> job = store_->find_job(id);
    ASSERT_TRUE(job.has_value());
    EXPECT_EQ(job->state, JobState::kProcessing);
    EXPECT_EQ(job->attempts, 1);
    EXPECT_EQ(job->fence, first.lease.fence);
    EXPECT_THAT(job->max_attempts, Optional(3));
    EXPECT_EQ(job->node, worker.node());

    clock_.advance(1s);
    worker.retry(first, 60s, "first");
    job = store_->find_job(id);
    EXPECT_EQ(job->state, JobState::kScheduled);
    EXPECT_EQ(job->run_at, clock_.now() + 60s);
    EXPECT_EQ(job->attempts, 1);
    EXPECT_THAT(job->first_started_at, Optional(first_claim));
    EXPECT_THAT(job->max_attempts, Optional(3));

    clock_.advance(60s);
    const ClaimedJob second = worker.claim_one();
    worker.fail(second, {}, "second");
    job = store_->find_job(id);
    EXPECT_EQ(job->state, JobState::kFailed);
    EXPECT_EQ(job->reason, "exhausted");
    EXPECT_EQ(job->attempts, 2);
    EXPECT_GT(job->fence, first.lease.fence);
    EXPECT_THAT(job->finished_at, Optional(clock_.now()));
    EXPECT_THAT(job->first_started_at, Optional(first_claim));
    EXPECT_THAT(job->started_at, Optional(second.claimed_at));
    ASSERT_EQ(job->errors.size(), 2U);
    EXPECT_EQ(job->errors[0].message, "first");
    EXPECT_EQ(job->errors[0].attempt, 1);
    EXPECT_EQ(job->errors[1].message, "second");
    EXPECT_EQ(job->errors[1].stack_trace, "#0 pay::charge");
    EXPECT_THAT(job->errors[1].types,
                ElementsAre("pay::Refused", "std::runtime_error", "std::exception"));
    EXPECT_EQ(job->last_error->message, "second");
}

TEST_P(StorageTest, FindJobShowsLogProgressAndCheckpoint) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId id = enqueue_one(*store_, {.type = "pay"});
    const ClaimedJob job = worker.claim_one();
    worker.write(RunNote{.lease = job.lease,
                         .log = {{.at = clock_.now(), .level = LogLevel::kWarning, .text = "one"},
                                 {.at = clock_.now(), .level = LogLevel::kInfo, .text = "two"}},
                         .progress_percent = 40,
                         .progress_text = "almost"});
    worker.write(SaveCheckpoint{.lease = job.lease, .json = R"({"at":7})"});

    const std::optional<Job> found = store_->find_job(id);

    ASSERT_TRUE(found.has_value());
    ASSERT_EQ(found->log.size(), 2U);
    EXPECT_EQ(found->log[0].text, "one");
    EXPECT_EQ(found->log[0].level, LogLevel::kWarning);
    EXPECT_EQ(found->log[1].text, "two");
    EXPECT_THAT(found->progress_percent, Optional(40));
    EXPECT_EQ(found->progress_text, "almost");
    EXPECT_THAT(found->checkpoint, Optional(std::string(R"({"at":7})")));
}

TEST_P(StorageTest, ListsNewestFirstAndLeavesOutWhatIsLarge) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId first = enqueue_one(*store_, {.type = "pay", .input = "\"large\"", .tags = {"t"}});
    worker.fail(worker.claim_one());
    const JobId second = enqueue_one(*store_, {.type = "pay"});

    const JobPage page = store_->list_jobs({}, 10, "");

    EXPECT_THAT(ids_of(page.jobs), ElementsAre(second, first));
    EXPECT_EQ(page.next, "");
    EXPECT_EQ(page.jobs[1].input, "");
    EXPECT_EQ(page.jobs[1].input_bytes, 7U);
    EXPECT_TRUE(page.jobs[1].errors.empty());
    ASSERT_TRUE(page.jobs[1].last_error.has_value());
    EXPECT_EQ(page.jobs[1].last_error->message, "it broke");
    EXPECT_THAT(page.jobs[1].tags, ElementsAre("t"));
}

TEST_P(StorageTest, PagesOfAListNeitherRepeatNorSkipWhileJobsCome) {
    for (int i = 0; i < 10; ++i) enqueue_one(*store_, {.type = "pay"});

    const JobPage first = store_->list_jobs({}, 4, "");
    enqueue_one(*store_, {.type = "pay"});
    const JobPage second = store_->list_jobs({}, 4, first.next);
    const JobPage third = store_->list_jobs({}, 4, second.next);

    EXPECT_THAT(ids_of(first.jobs), ElementsAre(10, 9, 8, 7));
    EXPECT_THAT(ids_of(second.jobs), ElementsAre(6, 5, 4, 3));
    EXPECT_THAT(ids_of(third.jobs), ElementsAre(2, 1));
    EXPECT_EQ(third.next, "");
}

TEST_P(StorageTest, AFullLastPageHasNoNext) {
    for (int i = 0; i < 4; ++i) enqueue_one(*store_, {.type = "pay"});

    EXPECT_EQ(store_->list_jobs({}, 4, "").next, "");
    EXPECT_EQ(store_->list_jobs({.states = {JobState::kEnqueued}}, 4, "").next, "");
}

TEST_P(StorageTest, WaitingJobsAreListedInTheOrderInWhichTheyRun) {
    StoreWorker worker(*store_, "w", {"a", "b", "c"});
    std::mt19937 random(7);
    const std::vector<std::string> types = {"a", "b", "c"};
    for (int i = 0; i < 120; ++i) {
        enqueue_one(*store_, {.type = types[random() % 3],
                              .priority = static_cast<Priority>(random() % 4),
                              .delay = std::chrono::seconds(random() % 50)});
    }
    clock_.advance(25s);

    const JobFilter due{.states = {JobState::kEnqueued}};
    const std::vector<JobId> listed = ids_of(list_all(*store_, due, 7));

    std::vector<JobId> claimed;
    for (const ClaimedJob& job : worker.claim(1000)) claimed.push_back(job.lease.job);
    EXPECT_EQ(listed, claimed);
    EXPECT_GT(listed.size(), 20U);
    EXPECT_LT(listed.size(), 120U);
    const JobFilter later{.states = {JobState::kScheduled}};
    EXPECT_EQ(list_all(*store_, later, 9).size(), 120U - listed.size());
}

TEST_P(StorageTest, APlaceThatNoListGaveIsRefused) {
    for (const std::string after : {"x", "j", "jx", "j1x", "j1.2", "p1.2", "p1.2.3.", "j-1",
                                    "j99999999999999999999", "p1.2.3"}) {
        try {
            store_->list_jobs({}, 10, after);
            ADD_FAILURE() << after;
        } catch (const StorageError& error) {
            EXPECT_EQ(error.kind(), StorageError::Kind::kMisused) << after;
        }
    }
}

TEST_P(StorageTest, NamesThatNobodyUsedMatchNothing) {
    enqueue_one(*store_, {.type = "pay"});

    EXPECT_TRUE(store_->list_jobs({.queue = "nowhere"}, 10, "").jobs.empty());
    EXPECT_TRUE(store_->list_jobs({.type = "unknown"}, 10, "").jobs.empty());
    EXPECT_TRUE(store_->list_jobs({.tag = "none"}, 10, "").jobs.empty());
    EXPECT_TRUE(store_->list_jobs({.states = {JobState::kAwaiting}}, 10, "").jobs.empty());
    EXPECT_EQ(store_->count_jobs({.queue = "nowhere"}, 10), 0);
}

/// Jobs in every state, with every kind of thing to filter by.
class FilterScene {
public:
    FilterScene(Store& store, FakeClock& clock) {
        StoreWorker worker(store, "w", {"a", "b"}, {"default", "other"});
        std::mt19937 random(11);
        for (int i = 0; i < 200; ++i) {
            clock.advance(std::chrono::minutes(random() % 20));
            NewJob job{.type = random() % 2 == 0 ? "a" : "b",
                       .queue = random() % 3 == 0 ? "other" : "default",
                       .delay = std::chrono::minutes(random() % 3 == 0 ? 100'000 : 0)};
            if (random() % 4 == 0) job.tags = {"red"};
            if (random() % 4 == 0) job.tags.emplace_back("blue");
            ids_.push_back(enqueue_one(store, job));
            if (random() % 3 != 0) step(worker, random() % 2, random() % 7);
        }
    }

    const std::vector<JobId>& ids() const { return ids_; }

    void step(StoreWorker& worker, std::size_t queue, std::uint_fast32_t choice) {
        const std::vector<ClaimedJob> claimed = worker.claim(1, queue);
        if (claimed.empty()) return;
        const ClaimedJob& job = claimed.front();
        switch (choice) {
            case 0: worker.fail(job, {}, "card refused"); break;
            case 1: worker.retry(job, 0s, "timeout of the bank"); break;
            case 2: worker.end(job, Cancel{.reason = "discarded"}); break;
            case 3: worker.end(job, Release{}); break;
            case 4: break;  // stays in processing
            default: worker.succeed(job);
        }
    }

    /// What the filter means, said once more in the simplest way.
    static bool matches(const JobFilter& filter, const Job& job) {
        if (!filter.states.empty() &&
            std::ranges::find(filter.states, job.state) == filter.states.end()) {
            return false;
        }
        if (!filter.queue.empty() && job.queue != filter.queue) return false;
        if (!filter.type.empty() && job.type != filter.type) return false;
        if (!filter.tag.empty() && std::ranges::find(job.tags, filter.tag) == job.tags.end()) {
            return false;
        }
        if (filter.since && job.created_at < *filter.since) return false;
        if (filter.error.empty()) return true;
        if (!job.last_error) return false;
        const JobError& error = *job.last_error;
        return std::ranges::find(error.types, filter.error) != error.types.end() ||
               error.message.find(filter.error) != std::string::npos;
    }

    std::vector<JobId> ids_;
};

TEST_P(StorageTest, EveryFilterListsAndCountsExactlyTheJobsThatMatch) {
    const FilterScene scene(*store_, clock_);
    const std::vector<JobId>& ids = scene.ids();
    const std::vector<std::vector<JobState>> states = {
        {},
        {JobState::kEnqueued},
        {JobState::kScheduled},
        {JobState::kScheduled, JobState::kEnqueued},
        {JobState::kProcessing},
        {JobState::kSucceeded},
        {JobState::kFailed},
        {JobState::kCancelled},
        {JobState::kFailed, JobState::kCancelled, JobState::kExpired},
        {JobState::kSucceeded, JobState::kFailed, JobState::kProcessing},
        {JobState::kEnqueued, JobState::kFailed}};
    const std::optional<TimePoint> middle = store_->find_job(ids[100])->created_at;
    std::vector<Job> all;
    for (const JobId id : ids) all.push_back(*store_->find_job(id));

    int not_empty = 0;
    for (const auto& wanted : states) {
        for (const std::string queue : {"", "other"}) {
            for (const std::string type : {"", "b"}) {
                for (const std::string tag : {"", "red"}) {
                    for (const std::string error : {"", "refused", "std::runtime_error", "zzz"}) {
                        for (const auto& since : {std::optional<TimePoint>(), middle}) {
                            const JobFilter filter{.states = wanted,
                                                   .queue = queue,
                                                   .type = type,
                                                   .tag = tag,
                                                   .error = error,
                                                   .since = since};
                            std::set<JobId> expected;
                            for (const Job& job : all) {
                                if (FilterScene::matches(filter, job)) expected.insert(job.id);
                            }
                            const auto listed = ids_of(list_all(*store_, filter, 3));
                            const auto count = static_cast<std::int64_t>(expected.size());
                            EXPECT_EQ(std::set<JobId>(listed.begin(), listed.end()), expected);
                            EXPECT_EQ(listed.size(), expected.size());
                            EXPECT_EQ(store_->count_jobs(filter, 1000), count);
                            EXPECT_EQ(store_->count_jobs(filter, 2),
                                      std::min<std::int64_t>(count, 2));
                            if (count > 0) ++not_empty;
                        }
                    }
                }
            }
        }
    }
    EXPECT_GT(not_empty, 100);
}

TEST_P(StorageTest, AnErrorFilterMeansTheLastErrorOnly) {
    StoreWorker worker(*store_, "w", {"pay"});
    enqueue_one(*store_, {.type = "pay"});
    worker.retry(worker.claim_one(), 0s, "early trouble");
    worker.fail(worker.claim_one(), {}, "late trouble");

    EXPECT_EQ(store_->count_jobs({.error = "late"}, 10), 1);
    EXPECT_EQ(store_->count_jobs({.error = "early"}, 10), 0);
}

TEST_P(StorageTest, FailedJobsAreGroupedByTypeErrorAndPlace) {
    StoreWorker worker(*store_, "w", {"pay", "mail"});
    const auto fail_at = [&](const std::string& type, const std::string& stack,
                             const std::string& message) {
        const JobId id = enqueue_one(*store_, {.type = type});
        clock_.advance(1s);
        const ClaimedJob job = worker.claim_one();
        JobError error = StoreWorker::error_of(job, message);
        error.stack_trace = stack;
        worker.end(job, Fail{.why = error, .reason = "exhausted"});
        return id;
    };
    const JobId first = fail_at("pay", "#0 charge at a.cpp:1\n#1 run", "first");
    const JobId newest = fail_at("pay", "#0 charge at a.cpp:1\n#1 other", "newest");
    fail_at("pay", "#0 refund at a.cpp:9", "elsewhere");
    const JobId mail = fail_at("mail", "", "no stack");

    const FailureGroups found = store_->failure_groups(100);

    EXPECT_EQ(found.looked_at, 4);
    EXPECT_FALSE(found.more);
    ASSERT_EQ(found.groups.size(), 3U);
    const FailureGroup& largest = found.groups.front();
    EXPECT_EQ(largest.type, "pay");
    EXPECT_EQ(largest.error, "pay::Refused");
    EXPECT_EQ(largest.frame, "charge at a.cpp:1");
    EXPECT_EQ(largest.message, "newest");
    EXPECT_EQ(largest.count, 2);
    EXPECT_EQ(largest.newest, newest);
    EXPECT_EQ(largest.last_at - largest.first_at, 1s);
    EXPECT_THAT(ids_of(list_all(*store_, {.group = largest.id}, 10)), ElementsAre(newest, first));
    EXPECT_EQ(store_->count_jobs({.states = {JobState::kFailed}, .group = largest.id}, 10), 2);
    const auto of_mail = std::ranges::find(found.groups, "mail", &FailureGroup::type);
    ASSERT_NE(of_mail, found.groups.end());
    EXPECT_EQ(of_mail->frame, "");
    EXPECT_THAT(ids_of(list_all(*store_, {.group = of_mail->id}, 10)), ElementsAre(mail));

    store_->requeue_job(first, false);
    EXPECT_EQ(store_->failure_groups(100).looked_at, 3) << "only what is failed now";
    EXPECT_EQ(store_->failure_groups(2).looked_at, 2);
    EXPECT_TRUE(store_->failure_groups(2).more);
}

TEST_P(StorageTest, ASearchInVainStopsSoonAndCanBeGoneOnWith) {
    const JobId wanted = enqueue_one(*store_, {.type = "rare"});
    const std::vector<NewJob> many(30'000, NewJob{.type = "frequent"});
    ASSERT_TRUE(std::holds_alternative<std::vector<Enqueued>>(store_->enqueue(many)));

    const JobPage first = store_->list_jobs({.type = "rare"}, 10, "");

    EXPECT_TRUE(first.jobs.empty());
    EXPECT_NE(first.next, "");
    EXPECT_THAT(ids_of(list_all(*store_, {.type = "rare"}, 10)), ElementsAre(wanted));
    // The order of waiting jobs finds a type without looking at others.
    const JobFilter waiting{.states = {JobState::kEnqueued}, .type = "rare"};
    EXPECT_THAT(ids_of(store_->list_jobs(waiting, 10, "").jobs), ElementsAre(wanted));
    EXPECT_EQ(store_->count_jobs({}, 10'000), 10'000);
    EXPECT_EQ(store_->count_jobs({.states = {JobState::kEnqueued}}, 10'000), 10'000);
}

TEST_P(StorageTest, CountsPerTypeFollowEveryMove) {
    StoreWorker worker(*store_, "w", {"pay"});
    for (int i = 0; i < 5; ++i) enqueue_one(*store_, {.type = "pay"});
    enqueue_one(*store_, {.type = "other", .queue = "q2", .delay = 60s});
    worker.succeed(worker.claim_one());
    worker.fail(worker.claim_one());
    worker.claim_one();

    const std::vector<TypeCounts> counts = store_->type_counts();

    ASSERT_EQ(counts.size(), 2U);
    EXPECT_EQ(counts[0].queue, "default");
    EXPECT_EQ(counts[0].type, "pay");
    EXPECT_EQ(counts[0].waiting, 2);
    EXPECT_EQ(counts[0].processing, 1);
    EXPECT_EQ(counts[0].succeeded, 1);
    EXPECT_EQ(counts[0].failed, 1);
    EXPECT_EQ(counts[1].type, "other");
    EXPECT_EQ(counts[1].waiting, 1);
}

TEST_P(StorageTest, DueCountsTellDueOldestAndNextPerQueueAndType) {
    const TimePoint start = clock_.now();
    for (const Priority priority : {Priority::kLow, Priority::kHigh}) {
        enqueue_one(*store_, {.type = "pay", .priority = priority, .delay = 10s});
        enqueue_one(*store_, {.type = "pay", .priority = priority, .delay = 20s});
        enqueue_one(*store_, {.type = "pay", .priority = priority, .delay = 90s});
    }
    enqueue_one(*store_, {.type = "later", .delay = 70s});
    clock_.advance(30s);

    const std::vector<DueCount> counts = store_->due_counts(100);

    ASSERT_EQ(counts.size(), 2U);
    EXPECT_EQ(counts[0].type, "later");
    EXPECT_EQ(counts[0].due, 0);
    EXPECT_EQ(counts[0].oldest_run_at, std::nullopt);
    EXPECT_THAT(counts[0].next_run_at, Optional(start + 70s));
    EXPECT_EQ(counts[1].type, "pay");
    EXPECT_EQ(counts[1].due, 4);
    EXPECT_THAT(counts[1].oldest_run_at, Optional(start + 10s));
    EXPECT_THAT(counts[1].next_run_at, Optional(start + 90s));
    EXPECT_EQ(store_->due_counts(3)[1].due, 3);
}

TEST_P(StorageTest, MinuteStatsCountWhatHappenedInEachMinute) {
    StoreWorker worker(*store_, "w", {"pay"});
    enqueue_one(*store_, {.type = "pay"});
    enqueue_one(*store_, {.type = "pay"});
    worker.succeed(worker.claim_one());
    clock_.advance(60s);
    const TimePoint second_minute = clock_.now();
    worker.retry(worker.claim_one(), 0s);
    worker.fail(worker.claim_one());

    const std::vector<MinuteStat> all = store_->minute_stats({});
    const std::vector<MinuteStat> late = store_->minute_stats(second_minute);

    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].queue, "default");
    EXPECT_EQ(all[0].enqueued, 2);
    EXPECT_EQ(all[0].succeeded, 1);
    EXPECT_EQ(all[1].minute - all[0].minute, 60s);
    EXPECT_EQ(all[1].retried, 1);
    EXPECT_EQ(all[1].failed, 1);
    ASSERT_EQ(late.size(), 1U);
    EXPECT_EQ(late[0].minute, all[1].minute);
}

TEST_P(StorageTest, DeadLetterRunsAreShownNewestFirst) {
    StoreWorker worker(*store_, "w", {"pay"});
    const JobId first = enqueue_one(*store_, {.type = "pay"});
    const WriteAnswer failed =
        worker.fail(worker.claim_one(),
                    {{DeadLetterKind::kHandler, "pay"}, {DeadLetterKind::kForwarder, "audit"}});
    ASSERT_EQ(failed.owed.size(), 2U);
    const JobId second = enqueue_one(*store_, {.type = "pay"});
    worker.fail(worker.claim_one(), {{DeadLetterKind::kHandler, "pay"}});
    worker.write(StartDeadLetter{.run = failed.owed[0].run});
    worker.write(FinishDeadLetter{
        .run = failed.owed[0].run, .state = DeadLetterState::kFailed, .error = "no mail server"});

    const std::vector<DeadLetter> all = store_->dead_letters(0, {}, 10, 0);

    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].job, second);
    EXPECT_EQ(all[1].kind, DeadLetterKind::kForwarder);
    EXPECT_EQ(all[1].name, "audit");
    EXPECT_EQ(all[1].type, "pay");
    EXPECT_EQ(all[1].state, DeadLetterState::kOwed);
    EXPECT_EQ(all[1].node, worker.node());
    EXPECT_EQ(all[2].state, DeadLetterState::kFailed);
    EXPECT_EQ(all[2].error, "no mail server");
    EXPECT_TRUE(all[2].finished_at.has_value());
    EXPECT_EQ(store_->dead_letters(first, {}, 10, 0).size(), 2U);
    EXPECT_EQ(store_->dead_letters(0, DeadLetterState::kOwed, 10, 0).size(), 2U);
    EXPECT_EQ(store_->dead_letters(0, DeadLetterState::kFailed, 10, 0).size(), 1U);
    const std::vector<DeadLetter> older = store_->dead_letters(0, {}, 1, all[0].run);
    ASSERT_EQ(older.size(), 1U);
    EXPECT_EQ(older[0].run, all[1].run);
    EXPECT_EQ(store_->open_dead_letters({"pay", "unknown"}), 2);
    EXPECT_EQ(store_->open_dead_letters({"unknown"}), 0);
}

}  // namespace
}  // namespace jobhost::testing_support
