// Each rule is broken once by a made-up ledger or store, since a checker that cannot fail says
// nothing.
#include "tests/torture/checker.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobhost::torture {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A job that succeeded at its second attempt after its first host died, and one that failed and
/// was handled; every test breaks something of it.
class Checker : public ::testing::Test {
protected:
    std::string ledger_ =
        "host number=1 slot=0 service=alpha pid=10\n"
        "host number=2 slot=0 service=alpha pid=11\n"
        "accepted id=1 service=alpha key=once-a mode=new\n"
        "accepted id=2 service=alpha key= mode=new\n"
        "start attempt=1 max=3 job=1 fence=1 host=1 service=alpha type=alpha.work\n"
        "ended host=1 code=137 asked=0\n"
        "start attempt=2 max=3 job=1 fence=2 host=2 service=alpha type=alpha.work\n"
        "effect job=1 fence=2 host=2 service=alpha type=alpha.work\n"
        "start attempt=1 max=1 job=2 fence=1 host=2 service=alpha type=alpha.work\n"
        "handler job=2 fence=1 host=2 service=alpha type=alpha.work\n";
    StoreFacts store_{.jobs = {{.id = 1,
                                .type = "alpha.work",
                                .state = "succeeded",
                                .attempts = 2,
                                .max_attempts = 3,
                                .fence = 2,
                                .service = "alpha",
                                .key = "once-a"},
                               {.id = 2,
                                .type = "alpha.work",
                                .state = "failed",
                                .attempts = 1,
                                .max_attempts = 1,
                                .fence = 1,
                                .service = "alpha"}},
                      .faults = {{.job = 1, .fence = 1, .type = "jobhost::OrphanedJobError"},
                                 {.job = 2, .fence = 1, .type = "std::runtime_error"}},
                      .dead_letters = {{.job = 2,
                                        .fence = 1,
                                        .type = "alpha.work",
                                        .is_handler = true,
                                        .name = "alpha.work",
                                        .state = 2,
                                        .service = "alpha"}},
                      .counted = {}};
    Tolerance tolerance_;

    void add(const std::string& line) { ledger_ += line + "\n"; }

    void replace(const std::string& line, const std::string& by) {
        const std::size_t at = ledger_.find(line);
        ASSERT_NE(at, std::string::npos) << line;
        ledger_.replace(at, line.size(), by);
    }

    /// The sentences that do not hold.
    std::vector<std::string> broken() const {
        std::istringstream lines(ledger_);
        std::vector<std::string> sentences;
        for (const Violation& violation : check(read_ledger(lines), store_, tolerance_)) {
            sentences.push_back(violation.sentence);
        }
        return sentences;
    }
};

constexpr const char* kEnds = "every accepted job ended exactly once in one terminal state";
constexpr const char* kStale = "no effect of a stale fence after a newer one";
constexpr const char* kLimit = "attempts are never above the limit";
constexpr const char* kUsed = "every attempt was used by a success or by a stored error";
constexpr const char* kOwner = "only the service that owns a type runs, fails or handles it";
constexpr const char* kKey = "an idempotency key never makes two live jobs";
constexpr const char* kOwes = "a move to failed owes the handler one run, and nothing else does";

TEST_F(Checker, FindsNothingWhereAllIsWell) {
    EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Checker, MissesAnAcceptedJob) {
    add("accepted id=3 service=alpha key= mode=new");
    EXPECT_THAT(broken(), ElementsAre(kEnds));
}

TEST_F(Checker, SeesAJobThatWasRolledBack) {
    add("rolled_back id=7");
    EXPECT_THAT(broken(), IsEmpty());
    add("rolled_back id=1");
    EXPECT_THAT(broken(), ElementsAre("what was rolled back never exists"));
}

TEST_F(Checker, SeesAJobThatHasNotEnded) {
    store_.jobs[0].state = "processing";
    EXPECT_THAT(broken(), ElementsAre(kEnds));
}

TEST_F(Checker, SeesAJobInTwoStates) {
    store_.jobs[0].places = 2;
    EXPECT_THAT(broken(), ElementsAre(kEnds));
}

TEST_F(Checker, SeesAnOutcomeOfAStaleFence) {
    add("effect job=1 fence=1 host=1 service=alpha type=alpha.work");
    store_.jobs[0].fence = 1;
    EXPECT_THAT(broken(), ElementsAre(kStale));
}

TEST_F(Checker, SeesASuccessOfARunThatDidNotWork) {
    replace("effect job=1 fence=2", "nothing job=1 fence=2");
    EXPECT_THAT(broken(), ElementsAre(kStale));
}

TEST_F(Checker, SeesAFenceThatRanTwiceUnlessClaimsMayBeForgotten) {
    add("start attempt=2 max=3 job=1 fence=2 host=2 service=alpha type=alpha.work");
    EXPECT_THAT(broken(), ElementsAre("a fence runs once"));
    tolerance_.forgotten_claims = true;
    EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Checker, SeesARunOfAJobThatIsNotThere) {
    add("start attempt=1 max=3 job=9 fence=1 host=2 service=alpha type=alpha.work");
    EXPECT_THAT(broken(), ElementsAre("what runs is in the store"));
}

TEST_F(Checker, SeesAHandlerThatRanTwice) {
    add("handler job=2 fence=1 host=2 service=alpha type=alpha.work");
    EXPECT_THAT(broken(), ElementsAre("a dead-letter handler runs at most once per failure"));
}

TEST_F(Checker, SeesAForwarderThatRanTwice) {
    add("forward job=2 fence=1 host=2 service=alpha type=alpha.work");
    add("forward job=2 fence=1 host=2 service=alpha type=alpha.work");
    EXPECT_THAT(broken(), ElementsAre("a forwarder runs at most once per failure"));
}

TEST_F(Checker, SeesAHandlerOfAJobThatDidNotFail) {
    add("handler job=1 fence=2 host=2 service=alpha type=alpha.work");
    EXPECT_THAT(broken(), ElementsAre("a handler runs only after the move to failed was stored"));
}

TEST_F(Checker, SeesADeadLetterRunThatNeverEnded) {
    store_.dead_letters[0].state = 1;
    EXPECT_THAT(broken(), ElementsAre("every dead-letter run ends"));
}

TEST_F(Checker, SeesADeadLetterRunThatIsStoredAsDoneAndWasNotCalled) {
    replace("handler job=2", "nothing job=2");
    EXPECT_THAT(broken(), ElementsAre("a dead-letter run that is stored as done was called"));
}

TEST_F(Checker, MissesTheRunThatAFailedJobOwes) {
    store_.dead_letters.clear();
    replace("handler job=2", "nothing job=2");
    EXPECT_THAT(broken(), ElementsAre(kOwes));
}

TEST_F(Checker, SeesARunThatIsOwedTwice) {
    store_.dead_letters.push_back(store_.dead_letters[0]);
    EXPECT_THAT(broken(), ElementsAre(kOwes));
}

TEST_F(Checker, SeesARunOwedForAnEarlierFailureUnlessTheJobWasRequeued) {
    store_.dead_letters.push_back(store_.dead_letters[0]);
    store_.dead_letters.back().fence = 0;
    add("handler job=2 fence=0 host=2 service=alpha type=alpha.work");
    EXPECT_THAT(broken(), ElementsAre(kOwes));
    add("requeue job=2");
    EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Checker, SeesAnAttemptAboveTheLimitInTheStore) {
    store_.jobs[1].attempts = 2;
    store_.faults.push_back({.job = 2, .fence = 2, .type = "std::runtime_error"});
    EXPECT_THAT(broken(), ElementsAre(kLimit));
}

TEST_F(Checker, SeesARunAboveTheLimit) {
    replace("start attempt=2 max=3 job=1", "start attempt=4 max=3 job=1");
    EXPECT_THAT(broken(), ElementsAre(kLimit));
}

TEST_F(Checker, SeesAnAttemptThatNothingUsed) {
    store_.jobs[0].attempts = 3;
    EXPECT_THAT(broken(), ElementsAre(kUsed));
}

TEST_F(Checker, SeesAnErrorThatUsedNoAttempt) {
    store_.jobs[0].attempts = 1;
    EXPECT_THAT(broken(), ElementsAre(kUsed));
}

TEST_F(Checker, SeesAnAttemptThatAShutdownUsedUnlessTheHostWasStoppedForLong) {
    replace("ended host=1 code=137 asked=0",
            "shutdown job=1 fence=1 host=1 service=alpha type=alpha.work\n"
            "ended host=1 code=0 asked=1");
    EXPECT_THAT(broken(), ElementsAre("no attempt is used by a shutdown"));
    add("paused host=1");
    EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Checker, SeesAJobRunByAnotherService) {
    add("host number=3 slot=1 service=beta pid=12");
    replace("start attempt=2 max=3 job=1 fence=2 host=2 service=alpha",
            "start attempt=2 max=3 job=1 fence=2 host=3 service=beta");
    EXPECT_THAT(broken(), ElementsAre(kOwner));
}

TEST_F(Checker, SeesAJobRunOnAHostOfAnotherService) {
    add("host number=3 slot=1 service=beta pid=12");
    replace("job=1 fence=2 host=2 service=alpha", "job=1 fence=2 host=3 service=alpha");
    EXPECT_THAT(broken(), ElementsAre(kOwner));
}

TEST_F(Checker, SeesAJobThatAnotherServiceFailed) {
    store_.jobs[1].service = "beta";
    EXPECT_THAT(broken(), ElementsAre(kOwner));
}

TEST_F(Checker, LetsAnyNodeExpireAJob) {
    store_.jobs.push_back({.id = 4, .type = "alpha.work", .state = "expired", .service = "beta"});
    EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Checker, SeesADeadLetterRunOfAnotherService) {
    store_.dead_letters[0].service = "beta";
    EXPECT_THAT(broken(), ElementsAre(kOwner));
}

TEST_F(Checker, SeesTwoLiveJobsOfOneKey) {
    store_.jobs[0].key = "again-a";
    replace("key=once-a", "key=again-a");
    store_.jobs.push_back({.id = 4, .type = "alpha.work", .state = "cancelled", .key = "again-a"});
    EXPECT_THAT(broken(), IsEmpty());
    store_.jobs.push_back(store_.jobs[0]);
    store_.jobs.back().id = 5;
    add("effect job=5 fence=2 host=2 service=alpha type=alpha.work");
    store_.faults.push_back({.job = 5, .fence = 1, .type = "jobhost::OrphanedJobError"});
    EXPECT_THAT(broken(), ElementsAre(kKey));
}

TEST_F(Checker, SeesASecondJobOfAKeyThatIsNeverGivenBack) {
    store_.jobs.push_back({.id = 4, .type = "alpha.work", .state = "cancelled", .key = "once-a"});
    EXPECT_THAT(broken(), ElementsAre(kKey));
}

TEST_F(Checker, TellsTheKeysOfTwoTypesApart) {
    store_.jobs.push_back({.id = 4, .type = "beta.work", .state = "cancelled", .key = "once-a"});
    EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(Checker, SeesAKeyThatWasAnsweredWithAnotherJob) {
    add("accepted id=2 service=alpha key=again-b mode=old");
    EXPECT_THAT(broken(), ElementsAre("the answer to a key is a job with that key"));
}

TEST_F(Checker, SeesAChildOfAJobThatDidNotSucceedAndASecondOne) {
    StoredJob child{.id = 4, .type = "alpha.work", .state = "cancelled", .source = "job:1"};
    store_.jobs.push_back(child);
    EXPECT_THAT(broken(), IsEmpty());
    store_.jobs.back().source = "job:2";
    constexpr const char* kChild =
        "a job that is enqueued on success exists once, and only after a success";
    EXPECT_THAT(broken(), ElementsAre(kChild));
    store_.jobs.back().source = "job:1";
    child.id = 5;
    store_.jobs.push_back(child);
    EXPECT_THAT(broken(), ElementsAre(kChild));
}

TEST_F(Checker, SeesAPartOfABulk) {
    add("bulk tag=one size=15");
    add("bulk tag=two size=15");
    store_.tags = {{.tag = "one", .jobs = 15}};
    EXPECT_THAT(broken(), IsEmpty());
    store_.tags = {{.tag = "one", .jobs = 14}};
    EXPECT_THAT(broken(), ElementsAre("a bulk enqueue is all or nothing"));
}

TEST_F(Checker, SeesAnExpiredJobThatRan) {
    store_.jobs[0].state = "expired";
    EXPECT_THAT(broken(), ElementsAre("an expired job never ran"));
}

TEST_F(Checker, SeesWrongCounts) {
    store_.counted = {{"succeeded", 1}, {"failed", 1}, {"waiting", 0}};
    EXPECT_THAT(broken(), IsEmpty());
    store_.counted["waiting"] = 1;
    EXPECT_THAT(broken(), ElementsAre("the store counts its jobs right"));
}

TEST_F(Checker, SeesADamagedStore) {
    store_.integrity = "row 7 missing from index";
    EXPECT_THAT(broken(), ElementsAre("the store is sound"));
}

}  // namespace
}  // namespace jobhost::torture
