#include <atomic>
#include <thread>

#include "tests/conformance/storage_fixture.h"

namespace jobhost::testing_support {
namespace {

using namespace std::chrono_literals;

NewJob keyed(const std::string& key, OnDuplicate rule = OnDuplicate::kAllowAfterFailed) {
    return {.type = "mail.send", .idempotency_key = key, .on_duplicate = rule};
}

const std::vector<Enqueued>& accepted(const EnqueueResult& result) {
    return std::get<std::vector<Enqueued>>(result);
}

TEST_P(StorageTest, EnqueueGivesIdsInOrderAndKeepsEveryField) {
    const std::string input = "{\"n\": 1.0e400, \"a\":[ ] ,\"a\":\"\\u0000\"}";
    const NewJob job{.type = "mail.send",
                     .input = input,
                     .queue = "fast",
                     .priority = Priority::kHigh,
                     .tags = {"a b", "c"},
                     .max_attempts = 4,
                     .timeout = 7s,
                     .idempotency_key = "k",
                     .traceparent = "00-ab",
                     .source = "cli"};
    const JobId first = enqueue({.type = "mail.send"});
    const JobId second = enqueue(job);
    const Job stored = find(second);

    EXPECT_GT(first, 0);
    EXPECT_GT(second, first);
    EXPECT_EQ(stored.input, input);
    EXPECT_EQ(stored.queue, "fast");
    EXPECT_EQ(stored.priority, Priority::kHigh);
    EXPECT_EQ(stored.tags, job.tags);
    EXPECT_EQ(stored.max_attempts_requested, 4);
    EXPECT_EQ(stored.timeout_requested, Duration(7s));
    EXPECT_EQ(stored.idempotency_key, "k");
    EXPECT_EQ(stored.traceparent, "00-ab");
    EXPECT_EQ(stored.source, "cli");
    EXPECT_EQ(stored.created_at, clock_.now());
    EXPECT_EQ(stored.run_at, clock_.now());
    EXPECT_EQ(stored.state, JobState::kEnqueued);
}

TEST_P(StorageTest, DelayAndDeadlineAreCountedByTheStoresClock) {
    const JobId id = enqueue({.type = "mail.send", .delay = 1h, .deadline_after = 5min});

    const Job job = find(id);

    EXPECT_EQ(job.run_at, clock_.now() + 1h);
    EXPECT_EQ(job.expires_at, clock_.now() + 1h + 5min);
    EXPECT_EQ(job.state, JobState::kScheduled);
}

TEST_P(StorageTest, ABulkWithOneBadJobStoresNothingAndNamesIt) {
    const std::vector<NewJob> jobs{{.type = "a"}, {.type = "b", .input = "{"}, {.type = "c"}};

    const EnqueueResult result = store_->enqueue(jobs);

    EXPECT_EQ(std::get<EnqueueRefusal>(result).index, 1U);
    EXPECT_EQ(store_->count_jobs({}, 10), 0);
}

TEST_P(StorageTest, ABulkWithOneHeldKeyStoresNothingAndNamesTheHolder) {
    StoreWorker worker(*store_, "w", {"mail.send"});
    const JobId held = enqueue(keyed("k"));
    worker.succeed(worker.claim_one());
    const std::vector<NewJob> jobs{{.type = "a"}, keyed("k", OnDuplicate::kRejectAlways)};

    const auto refusal = std::get<EnqueueRefusal>(store_->enqueue(jobs));

    EXPECT_EQ(refusal.index, 1U);
    EXPECT_EQ(refusal.existing, held);
    EXPECT_EQ(store_->count_jobs({}, 10), 1);
}

TEST_P(StorageTest, AKeyOfALiveJobReturnsThatJobUnderEveryRule) {
    const JobId first = enqueue(keyed("k"));
    for (const OnDuplicate rule : {OnDuplicate::kAllowAfterFailed, OnDuplicate::kRejectIfFailed,
                                   OnDuplicate::kRejectAlways}) {
        const std::vector<NewJob> again{keyed("k", rule)};
        const EnqueueResult result = store_->enqueue(again);
        EXPECT_TRUE(accepted(result).front().duplicate);
        EXPECT_EQ(accepted(result).front().id, first);
    }
}

TEST_P(StorageTest, AKeyOfASucceededJobIsADuplicateOrRefused) {
    StoreWorker worker(*store_, "w", {"mail.send"});
    const JobId first = enqueue(keyed("k"));
    worker.succeed(worker.claim_one());

    const std::vector<NewJob> allow{keyed("k")};
    const std::vector<NewJob> failed{keyed("k", OnDuplicate::kRejectIfFailed)};
    const std::vector<NewJob> always{keyed("k", OnDuplicate::kRejectAlways)};

    EXPECT_TRUE(accepted(store_->enqueue(allow)).front().duplicate);
    EXPECT_EQ(accepted(store_->enqueue(failed)).front().id, first);
    EXPECT_EQ(std::get<EnqueueRefusal>(store_->enqueue(always)).existing, first);
}

TEST_P(StorageTest, AKeyOfAFailedJobGivesANewJobOrIsRefused) {
    StoreWorker worker(*store_, "w", {"mail.send"});
    const JobId first = enqueue(keyed("k"));
    worker.fail(worker.claim_one());

    const std::vector<NewJob> failed{keyed("k", OnDuplicate::kRejectIfFailed)};
    const std::vector<NewJob> always{keyed("k", OnDuplicate::kRejectAlways)};
    EXPECT_EQ(std::get<EnqueueRefusal>(store_->enqueue(failed)).existing, first);
    EXPECT_EQ(std::get<EnqueueRefusal>(store_->enqueue(always)).existing, first);
    const JobId second = enqueue(keyed("k"));

    EXPECT_NE(second, first);
    const std::vector<NewJob> third{keyed("k")};
    EXPECT_EQ(accepted(store_->enqueue(third)).front().id, second);
}

TEST_P(StorageTest, AKeyIsScopedToItsType) {
    const JobId first = enqueue(keyed("k"));
    const JobId other = enqueue({.type = "mail.other", .idempotency_key = "k"});
    EXPECT_NE(first, other);
}

TEST_P(StorageTest, TheSameKeyTwiceInOneBulkIsADuplicateOfTheFirst) {
    const std::vector<NewJob> jobs{
        keyed("k"), {.type = "a"}, keyed("k"), keyed("k", OnDuplicate::kRejectAlways)};

    const EnqueueResult result = store_->enqueue(jobs);
    const auto& answers = accepted(result);

    EXPECT_FALSE(answers[0].duplicate);
    EXPECT_TRUE(answers[2].duplicate);
    EXPECT_TRUE(answers[3].duplicate);
    EXPECT_EQ(answers[2].id, answers[0].id);
    EXPECT_EQ(answers[3].id, answers[0].id);
    EXPECT_EQ(store_->count_jobs({}, 10), 2);
}

TEST_P(StorageTest, AKeyOutlivesItsPurgedJob) {
    StoreWorker worker(*store_, "w", {"mail.send"});
    const JobId first = enqueue(keyed("k"));
    worker.succeed(worker.claim_one());
    clock_.advance(2h);
    store_->purge({.succeeded = 1h}, 100);
    ASSERT_FALSE(store_->find_job(first).has_value());

    const std::vector<NewJob> again{keyed("k")};
    const std::vector<NewJob> always{keyed("k", OnDuplicate::kRejectAlways)};

    EXPECT_EQ(accepted(store_->enqueue(again)).front().id, first);
    EXPECT_TRUE(accepted(store_->enqueue(again)).front().duplicate);
    EXPECT_EQ(std::get<EnqueueRefusal>(store_->enqueue(always)).existing, first);
}

TEST_P(StorageTest, ARetryNeverTripsOverItsOwnKey) {
    StoreWorker worker(*store_, "w", {"mail.send"});
    const JobId id = enqueue(keyed("k"));
    worker.retry(worker.claim_one(), 0s);

    EXPECT_EQ(worker.claim_one().lease.job, id);
}

TEST_P(StorageTest, OfManyEnqueuersWithOneKeyOneMakesTheJob) {
    constexpr int kThreads = 4;
    std::vector<std::thread> threads;
    std::vector<JobId> ids(kThreads);
    std::atomic<int> made = 0;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            const std::unique_ptr<Store> own = session();
            const std::vector<NewJob> jobs{keyed("k")};
            const EnqueueResult result = own->enqueue(jobs);
            ids[static_cast<std::size_t>(i)] = accepted(result).front().id;
            if (!accepted(result).front().duplicate) ++made;
        });
    }
    for (std::thread& thread : threads) thread.join();

    EXPECT_EQ(made, 1);
    EXPECT_EQ(ids, std::vector<JobId>(kThreads, ids[0]));
}

TEST_P(StorageTest, ATypeWithoutALiveNodeIsAcceptedAndSaysSo) {
    const std::vector<NewJob> jobs{{.type = "mail.send"}};
    EXPECT_FALSE(accepted(store_->enqueue(jobs)).front().has_live_node);

    StoreWorker worker(*store_, "w", {"mail.send"});
    EXPECT_TRUE(accepted(store_->enqueue(jobs)).front().has_live_node);

    worker.die();
    EXPECT_FALSE(accepted(store_->enqueue(jobs)).front().has_live_node);
}

TEST_P(StorageTest, AQueueWithoutALiveNodeIsAcceptedAndSaysSo) {
    StoreWorker mail(*store_, "m", {"mail.send"}, {"default", "mail"});
    StoreWorker pay(*store_, "p", {"pay"}, {"money"});
    const auto reached = [&](const std::string& type, const std::string& queue) {
        const std::vector<NewJob> jobs{{.type = type, .queue = queue}};
        const Enqueued stored = accepted(store_->enqueue(jobs)).front();
        EXPECT_TRUE(stored.has_live_node);
        return stored.has_live_queue;
    };

    EXPECT_TRUE(reached("mail.send", "mail"));
    EXPECT_TRUE(reached("mail.send", "default"));
    EXPECT_FALSE(reached("mail.send", "mial"));
    EXPECT_FALSE(reached("mail.send", "money"));  // a live node's, but not of one with the type

    mail.die();
    StoreWorker next(*store_, "n", {"mail.send"}, {"default"});
    EXPECT_FALSE(reached("mail.send", "mail"));
}

TEST_P(StorageTest, ADuplicateDoesNotSpeakOfTheQueueThatItWasNotPutInto) {
    StoreWorker worker(*store_, "w", {"mail.send"});
    NewJob job{.type = "mail.send", .idempotency_key = "k"};
    EXPECT_FALSE(accepted(store_->enqueue(std::vector{job})).front().duplicate);
    job.queue = "other";

    const Enqueued again = accepted(store_->enqueue(std::vector{job})).front();

    EXPECT_TRUE(again.duplicate);
    EXPECT_TRUE(again.has_live_queue);
}

TEST_P(StorageTest, AnInputLargerThanTheLimitIsRefused) {
    StoreOptions small = options();
    small.max_input_bytes = 16;
    const auto handle = open_store(small, clock_);
    const std::vector<NewJob> jobs{{.type = "a", .input = "\"" + std::string(15, 'x') + "\""}};

    const EnqueueResult result = handle->open_session()->enqueue(jobs);

    EXPECT_TRUE(std::holds_alternative<EnqueueRefusal>(result));
}

TEST_P(StorageTest, CountsAreKeptThroughEveryMove) {
    StoreWorker worker(*store_, "w", {"mail.send"});
    for (int i = 0; i < 5; ++i) enqueue({.type = "mail.send"});
    EXPECT_EQ(counts("mail.send").waiting, 5);
    const std::vector<ClaimedJob> jobs = worker.claim(4);
    EXPECT_EQ(counts("mail.send").processing, 4);

    worker.succeed(jobs[0]);
    worker.fail(jobs[1]);
    worker.retry(jobs[2], 1h);
    worker.end(jobs[3], Cancel{.reason = "stop"});

    const TypeCounts now = counts("mail.send");
    EXPECT_EQ(now.waiting, 2);
    EXPECT_EQ(now.processing, 0);
    EXPECT_EQ(now.succeeded, 1);
    EXPECT_EQ(now.failed, 1);
    EXPECT_EQ(now.cancelled, 1);
}

}  // namespace
}  // namespace jobhost::testing_support
