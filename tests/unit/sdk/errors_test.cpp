// What the host is told about whatever a job throws.

#include <functional>
#include <ios>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unwind.h>

#include <gmock/gmock.h>
#include <jobhost/testing.hpp>

namespace {

using namespace std::chrono_literals;
using jobhost::testing::Outcome;
using jobhost::testing::RecordedError;
using jobhost::testing::RunResult;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Throws : jobhost::Job<> {
    explicit Throws(std::function<void()> what) : throw_it(std::move(what)) {}
    void execute(jobhost::JobContext&) override { throw_it(); }
    std::function<void()> throw_it;
};

RunResult run_throwing(std::function<void()> throw_it) {
    return jobhost::testing::run<Throws>({},
                                         [throw_it] { return std::make_unique<Throws>(throw_it); });
}

RecordedError error_of(std::function<void()> throw_it) {
    const RunResult result = run_throwing(std::move(throw_it));
    EXPECT_EQ(result.outcome, Outcome::kFailed);
    return result.error.value_or(RecordedError{});
}

struct InvalidOrder : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

struct WithoutText : std::exception {
    const char* what() const noexcept override { return nullptr; }
};

TEST(ThrownError, CarriesTypeBasesAndMessage) {
    const RecordedError error = error_of([] { throw InvalidOrder("no such order"); });

    EXPECT_EQ(error.type, "InvalidOrder");
    EXPECT_THAT(error.types, ElementsAre("InvalidOrder", "std::invalid_argument",
                                         "std::logic_error", "std::exception"));
    EXPECT_EQ(error.message, "no such order");
    EXPECT_THAT(error.causes, IsEmpty());
}

TEST(ThrownError, MayBeAnything) {
    EXPECT_EQ(error_of([] { throw 42; }).type, "int");
    EXPECT_EQ(error_of([] { throw "plain text"; }).message, "plain text");
    EXPECT_EQ(error_of([] { throw std::string("a string"); }).message, "a string");
    EXPECT_EQ(error_of([] { throw WithoutText(); }).message, "");
    EXPECT_EQ(error_of([] { throw std::bad_alloc(); }).type, "std::bad_alloc");
}

TEST(ThrownError, HasANameWithoutDecorations) {
    EXPECT_EQ(error_of([] { throw std::ios_base::failure("disk"); }).type,
              "std::ios_base::failure");
}

TEST(ThrownError, KnowsWhereItWasThrown) {
    EXPECT_TRUE(error_of([] { throw std::runtime_error("here"); }).throw_site_known);
}

TEST(ThrownError, NamesTheAuthorsTypeWhenItIsNested) {
    const RecordedError error = error_of([] {
        try {
            throw std::out_of_range("index 7");
        } catch (...) {
            std::throw_with_nested(InvalidOrder("bad line"));
        }
    });

    EXPECT_EQ(error.type, "InvalidOrder");
    EXPECT_THAT(error.types, ElementsAre("InvalidOrder", "std::invalid_argument",
                                         "std::logic_error", "std::exception"));
    ASSERT_EQ(error.causes.size(), 1U);
    EXPECT_EQ(error.causes[0].type, "std::out_of_range");
    EXPECT_EQ(error.causes[0].message, "index 7");
}

void throw_nested(int levels) {
    if (levels == 0) throw std::runtime_error("the innermost");
    try {
        throw_nested(levels - 1);
    } catch (...) {
        std::throw_with_nested(std::runtime_error("level"));
    }
}

TEST(ThrownError, IsFollowedEightLevelsDeep) {
    RecordedError error = error_of([] { throw_nested(20); });

    int levels = 0;
    while (!error.causes.empty()) {
        ++levels;
        error = RecordedError(error.causes[0]);
    }

    EXPECT_EQ(levels, 8);
}

TEST(AggregateError, HoldsItsElementsAsCauses) {
    const RecordedError error = error_of([] {
        throw jobhost::AggregateError({std::make_exception_ptr(InvalidOrder("first")),
                                       std::make_exception_ptr(std::runtime_error("second"))});
    });

    EXPECT_EQ(error.type, "jobhost::AggregateError");
    EXPECT_EQ(error.message, "2 errors");
    ASSERT_EQ(error.causes.size(), 2U);
    EXPECT_TRUE(error.causes[0].is<std::invalid_argument>());
    EXPECT_EQ(error.causes[1].message, "second");
}

TEST(RetryAfter, IsAFailureWithADelayThatIsNeverNegative) {
    EXPECT_EQ(error_of([] { throw jobhost::RetryAfter(90s, "HTTP 429"); }).retry_after, 90s);
    EXPECT_EQ(error_of([] { throw jobhost::RetryAfter(-1s, "odd"); }).retry_after, 0s);
    EXPECT_EQ(error_of([] { throw std::runtime_error("none"); }).retry_after, std::nullopt);
}

TEST(Snooze, IsNotAFailure) {
    const RunResult result = run_throwing([] { throw jobhost::Snooze(30s); });

    EXPECT_EQ(result.outcome, Outcome::kSnoozed);
    EXPECT_EQ(result.snooze, 30s);
    EXPECT_FALSE(result.error);
}

TEST(DeadLetter, CarriesItsReason) {
    const RunResult result = run_throwing([] { throw jobhost::DeadLetter("account closed"); });

    EXPECT_EQ(result.outcome, Outcome::kDeadLettered);
    EXPECT_EQ(result.error.value().message, "account closed");
}

TEST(Discard, CarriesItsReason) {
    const RunResult result = run_throwing([] { throw jobhost::Discard("order was withdrawn"); });

    EXPECT_EQ(result.outcome, Outcome::kDiscarded);
    EXPECT_EQ(result.error.value().message, "order was withdrawn");
}

TEST(Cancelled, IsAnErrorWhenNobodyCancelledTheRun) {
    const RecordedError error = error_of([] { throw jobhost::Cancelled(); });

    EXPECT_EQ(error.type, "jobhost::Cancelled");
}

// As from code of another language: a class of its own, raised without the C++ runtime.
[[noreturn]] void raise_foreign_exception() {
    static _Unwind_Exception exception{};
    exception.exception_class = 0x4F54484552000000;  // "OTHER"
    exception.exception_cleanup = [](_Unwind_Reason_Code, _Unwind_Exception*) {};
    _Unwind_RaiseException(&exception);
    std::abort();
}

TEST(ForeignException, IsReportedAsSuch) {
    const RecordedError error = error_of(&raise_foreign_exception);

    EXPECT_EQ(error.type, "foreign exception");
}

TEST(RecordedError, IsOfATypeAndOfItsBases) {
    const RecordedError error = error_of([] { throw InvalidOrder("x"); });

    EXPECT_TRUE(error.is<InvalidOrder>());
    EXPECT_TRUE(error.is<std::logic_error>());
    EXPECT_FALSE(error.is<std::runtime_error>());
}

}  // namespace
