#include "storage/stored_text.h"
#include "tests/conformance/storage_fixture.h"

namespace jobhost::testing_support {
namespace {

using namespace std::chrono_literals;
using Outcome = WriteAnswer::Outcome;

TEST_P(StorageTest, ASuccessIsStoredWithItsTimes) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();
    const TimePoint started = clock_.now() + 1s;
    clock_.advance(3s);

    const WriteAnswer answer =
        worker.write(RunReport{.lease = job.lease, .next = Succeed{}, .started_at = started});

    EXPECT_EQ(answer.outcome, Outcome::kStored);
    EXPECT_EQ(answer.state, JobState::kSucceeded);
    EXPECT_EQ(find(id).state, JobState::kSucceeded);
    EXPECT_EQ(find(id).started_at, started);
    EXPECT_EQ(find(id).finished_at, clock_.now());
    EXPECT_EQ(find(id).attempts, 1);
}

TEST_P(StorageTest, JobsOfASuccessAreStoredWithItAndNameIt) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();

    const WriteAnswer answer = worker.end(job, Succeed{.jobs = {{.type = "next"}}});

    ASSERT_EQ(answer.enqueued.size(), 1U);
    EXPECT_EQ(find(answer.enqueued[0].id).source, "job:" + std::to_string(id));
}

TEST_P(StorageTest, JobsOfASuccessAreDroppedWithALostLease) {
    StoreWorker worker(*store_, "w", {"a"});
    enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();
    worker.fail(job);

    const WriteAnswer answer = worker.end(job, Succeed{.jobs = {{.type = "next"}}});

    EXPECT_EQ(answer.outcome, Outcome::kLeaseLost);
    EXPECT_EQ(store_->count_jobs({.type = "next"}, 10), 0);
}

TEST_P(StorageTest, ASuccessWhoseJobsCannotBeStoredIsRefusedAndStillRuns) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();

    const WriteAnswer answer = worker.end(job, Succeed{.jobs = {{.type = "b", .input = "{"}}});

    EXPECT_EQ(answer.outcome, Outcome::kRefused);
    EXPECT_FALSE(answer.reason.empty());
    EXPECT_EQ(find(id).state, JobState::kProcessing);
    EXPECT_EQ(worker.succeed(job).outcome, Outcome::kStored);
}

TEST_P(StorageTest, ARetryWaitsWithItsErrorAndUsesTheAttempt) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();

    const WriteAnswer answer = worker.retry(job, 20s, "boom");

    const Job stored = find(id);
    EXPECT_EQ(answer.state, JobState::kScheduled);
    EXPECT_EQ(stored.state, JobState::kScheduled);
    EXPECT_EQ(stored.run_at, clock_.now() + 20s);
    EXPECT_EQ(stored.attempts, 1);
    EXPECT_EQ(stored.max_attempts, 3);
    EXPECT_EQ(stored.first_started_at, job.claimed_at);
    ASSERT_TRUE(stored.last_error.has_value());
    EXPECT_EQ(stored.last_error->message, "boom");
    EXPECT_EQ(stored.last_error->types.size(), 3U);
    EXPECT_EQ(stored.last_error->attempt, 1);
}

TEST_P(StorageTest, ARetryLongerThanAYearWaitsAYear) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a"});

    worker.retry(worker.claim_one(), Duration::max());

    EXPECT_EQ(find(id).run_at, clock_.now() + std::chrono::hours(24 * 365));
}

TEST_P(StorageTest, ASnoozeGivesTheAttemptBackAndIsCounted) {
    StoreWorker worker(*store_, "w", {"a"});
    enqueue({.type = "a"});
    worker.end(worker.claim_one(), Snooze{.delay = 5s});
    clock_.advance(5s);

    const ClaimedJob again = worker.claim_one();

    EXPECT_EQ(again.attempt, 1);
    EXPECT_EQ(again.snoozes, 1);
    EXPECT_EQ(again.lease.fence, 2);
}

TEST_P(StorageTest, AReleasedJobTakesItsOldPlaceAndItsAttemptBack) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId first = enqueue({.type = "a"});
    clock_.advance(1s);
    enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();
    worker.write(RunReport{.lease = job.lease, .next = Release{}});

    EXPECT_EQ(find(first).attempts, 0);
    const ClaimedJob again = worker.claim_one();

    EXPECT_EQ(again.lease.job, first);
    EXPECT_EQ(again.attempt, 1);
    EXPECT_GT(again.lease.fence, job.lease.fence);
}

TEST_P(StorageTest, TheFenceGrowsWithEveryClaimAndAnOldLeaseChangesNothing) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a"});
    const ClaimedJob old = worker.claim_one();
    worker.retry(old, 0s);
    const ClaimedJob current = worker.claim_one();

    EXPECT_EQ(current.lease.fence, old.lease.fence + 1);
    for (const Transition& next :
         {Transition(Succeed{}), Transition(Retry{}), Transition(Fail{}), Transition(Release{}),
          Transition(Cancel{}), Transition(Snooze{}), Transition(Expire{})}) {
        EXPECT_EQ(worker.end(old, next).outcome, Outcome::kLeaseLost);
    }
    EXPECT_EQ(worker.write(SaveCheckpoint{.lease = old.lease, .json = "1"}).outcome,
              Outcome::kLeaseLost);
    worker.write(RunNote{.lease = old.lease, .progress_percent = 50});
    EXPECT_EQ(find(id).state, JobState::kProcessing);
    EXPECT_FALSE(find(id).checkpoint.has_value());
    EXPECT_FALSE(find(id).progress_percent.has_value());
    EXPECT_EQ(worker.succeed(current).outcome, Outcome::kStored);
}

TEST_P(StorageTest, ARepeatedOutcomeWhoseAnswerWasLostIsStored) {
    const std::vector<Transition> all{Succeed{}, Retry{.delay = 1s},          Snooze{.delay = 1s},
                                      Release{}, Fail{.reason = "exhausted"}, Cancel{},
                                      Expire{}};
    for (std::size_t index = 0; index < all.size(); ++index) {
        const std::string type = "type" + std::to_string(index);
        StoreWorker worker(*store_, "w", {type});
        const JobId id = enqueue({.type = type});
        const ClaimedJob job = worker.claim_one();
        const WriteAnswer first = worker.end(job, all[index]);
        const Job before = find(id);

        const WriteAnswer second = worker.end(job, all[index]);

        EXPECT_EQ(second.outcome, Outcome::kStored) << index;
        EXPECT_EQ(second.state, first.state) << index;
        EXPECT_EQ(find(id).errors.size(), before.errors.size()) << index;
        EXPECT_EQ(find(id).attempts, before.attempts) << index;
        for (std::size_t other = 0; other < all.size(); ++other) {
            const bool both_wait = index >= 1 && index <= 3 && other >= 1 && other <= 3;
            const bool cancelled = index == 5 && other >= 1 && other <= 3;
            if (other == index || both_wait || cancelled) continue;
            EXPECT_EQ(worker.end(job, all[other]).outcome, Outcome::kLeaseLost)
                << index << " " << other;
        }
    }
}

TEST_P(StorageTest, AnOldLeaseIsLostAlsoWhenALaterRunEndedTheSameWay) {
    StoreWorker worker(*store_, "w", {"a"});
    enqueue({.type = "a"});
    const ClaimedJob old = worker.claim_one();
    worker.retry(old, 0s);
    worker.succeed(worker.claim_one());

    EXPECT_EQ(worker.succeed(old).outcome, Outcome::kLeaseLost);
}

TEST_P(StorageTest, ARepeatedFailTellsTheOwedRunsAgain) {
    StoreWorker worker(*store_, "w", {"a"});
    enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();
    const std::vector<OwedDeadLetter> owed{{.kind = DeadLetterKind::kHandler, .name = "a"}};

    const WriteAnswer first = worker.fail(job, owed);
    const WriteAnswer second = worker.fail(job, owed);

    ASSERT_EQ(first.owed.size(), 1U);
    ASSERT_EQ(second.owed.size(), 1U);
    EXPECT_EQ(second.owed[0].run, first.owed[0].run);
    EXPECT_EQ(store_->dead_letters(job.lease.job, std::nullopt, 10, 0).size(), 1U);
}

TEST_P(StorageTest, AFailedJobKeepsReasonErrorAndOwedRuns) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();

    const WriteAnswer answer =
        worker.fail(job, {{.kind = DeadLetterKind::kHandler, .name = "a"},
                          {.kind = DeadLetterKind::kForwarder, .name = "audit"}});

    EXPECT_EQ(answer.state, JobState::kFailed);
    ASSERT_EQ(answer.owed.size(), 2U);
    EXPECT_EQ(answer.owed[0].type, "a");
    EXPECT_EQ(answer.owed[1].name, "audit");
    EXPECT_EQ(find(id).state, JobState::kFailed);
    EXPECT_EQ(find(id).reason, "exhausted");
    EXPECT_EQ(find(id).errors.size(), 1U);
    EXPECT_TRUE(worker.claim(5).empty());
}

TEST_P(StorageTest, AFlaggedJobThatComesBackIsCancelled) {
    for (const Transition& next : {Transition(Retry{.delay = 1s, .why = {.type = "X"}}),
                                   Transition(Snooze{.delay = 1s}), Transition(Release{})}) {
        StoreWorker worker(*store_, "w", {"a"});
        const JobId id = enqueue({.type = "a"});
        const ClaimedJob job = worker.claim_one();
        store_->cancel_job(id, "ann");

        EXPECT_EQ(worker.end(job, next).state, JobState::kCancelled);
        EXPECT_EQ(find(id).state, JobState::kCancelled);
        EXPECT_EQ(find(id).reason, "cancelled by ann");
        EXPECT_EQ(worker.end(job, next).outcome, Outcome::kStored);
    }
}

TEST_P(StorageTest, AFlaggedJobThatEndsEndsAsItDid) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();
    store_->cancel_job(id, "ann");

    EXPECT_EQ(worker.succeed(job).state, JobState::kSucceeded);
}

TEST_P(StorageTest, OneItemThatCannotBeStoredNeverFailsItsNeighbours) {
    StoreWorker worker(*store_, "w", {"a"});
    for (int i = 0; i < 3; ++i) enqueue({.type = "a"});
    const std::vector<ClaimedJob> jobs = worker.claim(3);
    const std::vector<Write> writes{
        RunReport{.lease = jobs[0].lease, .next = Succeed{}},
        EnqueueJobs{.jobs = {{.type = "b"}, {.type = "bad type"}}},
        SaveCheckpoint{.lease = jobs[1].lease, .json = "{"},
        RunReport{.lease = jobs[2].lease, .next = Succeed{}},
        EnqueueJobs{.jobs = {{.type = "c"}}},
    };

    const Exchanged answer = store_->exchange(worker.node(), writes, {});

    EXPECT_EQ(answer.answers[0].outcome, Outcome::kStored);
    EXPECT_EQ(answer.answers[1].outcome, Outcome::kRefused);
    EXPECT_EQ(answer.answers[2].outcome, Outcome::kRefused);
    EXPECT_EQ(answer.answers[3].outcome, Outcome::kStored);
    EXPECT_EQ(answer.answers[4].outcome, Outcome::kStored);
    EXPECT_EQ(store_->count_jobs({.type = "b"}, 10), 0);
    EXPECT_EQ(store_->count_jobs({.type = "c"}, 10), 1);
    EXPECT_EQ(counts("a").succeeded, 2);
}

TEST_P(StorageTest, TextsOfAnyBytesNeverBlockATransition) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();
    const std::string bytes = std::string("a\0b", 3) + "\xff\xc3(" + "\xe2\x82\xac";
    JobError why = StoreWorker::error_of(job, bytes);
    why.type = why.stack_trace = bytes;
    why.types = {bytes};

    const WriteAnswer answer = worker.write(RunReport{.lease = job.lease,
                                                      .next = Fail{.why = why, .reason = bytes},
                                                      .log = {{.text = bytes}},
                                                      .progress_text = bytes});

    EXPECT_EQ(answer.outcome, Outcome::kStored);
    const std::string shown = "a\\x00b\\xff\\xc3(\xe2\x82\xac";
    EXPECT_EQ(find(id).errors.at(0).message, shown);
    EXPECT_EQ(find(id).errors.at(0).types.at(0), shown);
    EXPECT_EQ(find(id).log.at(0).text, shown);
    EXPECT_EQ(find(id).reason, shown);
    EXPECT_EQ(find(id).progress_text, shown);
}

TEST_P(StorageTest, LongErrorsAreCutAndSaySo) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();
    JobError why = StoreWorker::error_of(job, std::string(1'000'000, 'm'));
    why.stack_trace = std::string(5'000'000, 's');

    worker.end(job, Fail{.why = why});

    const JobError stored = find(id).errors.at(0);
    EXPECT_LE(stored.message.size(), kMaxErrorMessageBytes);
    EXPECT_LE(stored.stack_trace.size(), kMaxStackBytes);
    EXPECT_TRUE(stored.message.ends_with(" bytes cut"));
    EXPECT_TRUE(stored.stack_trace.ends_with(" bytes cut"));
}

TEST_P(StorageTest, AJobKeepsItsLastFiftyErrors) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a", .max_attempts = 100});
    for (int i = 1; i <= 60; ++i) worker.retry(worker.claim_one(), 0s, std::to_string(i));

    const Job job = find(id);

    ASSERT_EQ(job.errors.size(), 50U);
    EXPECT_EQ(job.errors.front().message, "11");
    EXPECT_EQ(job.errors.back().message, "60");
    EXPECT_EQ(job.attempts, 60);
}

TEST_P(StorageTest, AllErrorsOfAJobAreBoundedTogether) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a", .max_attempts = 100});
    for (int i = 0; i < 8; ++i) {
        const ClaimedJob job = worker.claim_one();
        JobError why = StoreWorker::error_of(job, "boom");
        why.stack_trace = std::string(200'000, 's');
        worker.end(job, Retry{.why = why});
    }

    std::size_t bytes = 0;
    for (const JobError& error : find(id).errors) bytes += error.stack_trace.size();

    EXPECT_LE(bytes, kMaxErrorBytesOfJob);
    EXPECT_EQ(find(id).errors.back().attempt, 8);
    EXPECT_GE(find(id).errors.size(), 3U);
}

TEST_P(StorageTest, ALogKeepsItsLastTwoHundredLines) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();
    for (int note = 0; note < 5; ++note) {
        RunNote lines{.lease = job.lease};
        for (int i = 0; i < 50; ++i) {
            lines.log.push_back(
                {.level = LogLevel::kWarning, .text = std::to_string(note * 50 + i)});
        }
        worker.write(lines);
    }

    const Job stored = find(id);

    ASSERT_EQ(stored.log.size(), 200U);
    EXPECT_EQ(stored.log.front().text, "50");
    EXPECT_EQ(stored.log.back().text, "249");
    EXPECT_EQ(stored.log.back().level, LogLevel::kWarning);
}

TEST_P(StorageTest, NotesTellStartAndProgressOfARunThatGoesOn) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();
    EXPECT_FALSE(find(id).started_at.has_value());

    worker.write(RunNote{.lease = job.lease,
                         .started_at = clock_.now(),
                         .progress_percent = 40,
                         .progress_text = "almost"});
    worker.write(RunNote{.lease = job.lease, .progress_percent = 60});

    EXPECT_EQ(find(id).started_at, clock_.now());
    EXPECT_EQ(find(id).progress_percent, 60);
    EXPECT_EQ(find(id).progress_text, "almost");
}

TEST_P(StorageTest, ANoteTellsWhyARunWasAskedToStopUntilItEnds) {
    StoreWorker worker(*store_, "w", {"a"});
    const JobId id = enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();

    worker.write(RunNote{.lease = job.lease, .stopping = "its time limit of 5 s has passed"});
    worker.write(RunNote{.lease = job.lease, .progress_percent = 60});
    EXPECT_EQ(find(id).stopping, "its time limit of 5 s has passed");

    worker.retry(job, 0s);
    EXPECT_EQ(find(id).stopping, "");
}

TEST_P(StorageTest, ACheckpointIsThereForTheNextAttemptUntilItIsRemoved) {
    StoreWorker worker(*store_, "w", {"a"});
    enqueue({.type = "a"});
    const ClaimedJob job = worker.claim_one();
    worker.write(SaveCheckpoint{.lease = job.lease, .json = "{\"at\":1}"});
    worker.write(SaveCheckpoint{.lease = job.lease, .json = "{\"at\":2}"});
    worker.retry(job, 0s);

    const ClaimedJob second = worker.claim_one();
    EXPECT_EQ(second.checkpoint, "{\"at\":2}");
    worker.write(SaveCheckpoint{.lease = second.lease, .json = ""});
    worker.retry(second, 0s);

    EXPECT_FALSE(worker.claim_one().checkpoint.has_value());
}

TEST_P(StorageTest, FirstStartIsKeptOverRetries) {
    StoreWorker worker(*store_, "w", {"a"});
    enqueue({.type = "a"});
    const ClaimedJob first = worker.claim_one();
    worker.retry(first, 10s);
    clock_.advance(10s);

    const ClaimedJob second = worker.claim_one();

    EXPECT_EQ(second.first_started_at, first.claimed_at);
}

TEST_P(StorageTest, ALeaseOfAnotherNodeIsLost) {
    StoreWorker one(*store_, "1", {"a"});
    const std::unique_ptr<Store> other_session = session();
    StoreWorker two(*other_session, "2", {"a"});
    enqueue({.type = "a"});
    const ClaimedJob job = one.claim_one();

    EXPECT_EQ(two.succeed(job).outcome, Outcome::kLeaseLost);
    EXPECT_EQ(one.succeed(job).outcome, Outcome::kStored);
}

}  // namespace
}  // namespace jobhost::testing_support
