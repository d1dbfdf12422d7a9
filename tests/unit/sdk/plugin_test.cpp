// What a plugin's registration turns into.

#include <memory>
#include <stdexcept>

#include <gmock/gmock.h>
#include <jobhost/testing.hpp>

namespace {

using namespace std::chrono_literals;
using jobhost::Plugin;
using jobhost::detail::view;
using jobhost::detail::views;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Nothing : jobhost::Job<> {
    void execute(jobhost::JobContext&) override {}
};

struct NothingFailed : jobhost::DeadLetterHandler<Nothing> {
    void handle(const jobhost::FailedJob&, const jobhost::Error&,
                jobhost::CancellationToken) override {}
};

struct NeedsText : jobhost::Job<> {
    explicit NeedsText(std::string given) : text(std::move(given)) {}
    void execute(jobhost::JobContext& ctx) override { ctx.log(text); }
    std::string text;
};

struct CountsRuns : jobhost::Job<> {
    void execute(jobhost::JobContext& ctx) override { ctx.log(std::to_string(++runs)); }
    int runs = 0;
};

template <class Setup>
std::string message_of(Setup setup) {
    try {
        Plugin plugin("p", "1");
        setup(plugin);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "nothing was thrown";
}

TEST(Plugin, DescribesWhatWasRegistered) {
    Plugin plugin("payments", "1.4.0");
    plugin.job<Nothing>("payments.process").dead_letter<NothingFailed>();
    plugin.retry_delay("steady", [](const jobhost::RetryInfo&) { return 5s; });

    const jobhost_plugin* tables = plugin.finish();

    EXPECT_EQ(view(tables->name), "payments");
    EXPECT_EQ(view(tables->version), "1.4.0");
    ASSERT_EQ(tables->n_job_types, 1U);
    EXPECT_EQ(view(tables->job_types[0]->name), "payments.process");
    EXPECT_EQ(tables->job_types[0]->struct_size, sizeof(jobhost_job_type));
    ASSERT_EQ(tables->n_dead_letter_handlers, 1U);
    EXPECT_EQ(view(tables->dead_letter_handlers[0]->job_type), "payments.process");
    ASSERT_EQ(tables->n_retry_delays, 1U);
    EXPECT_EQ(view(tables->retry_delays[0]->name), "steady");
    EXPECT_EQ(tables->n_forwarders, 0U);
    EXPECT_EQ(tables->n_trigger_types, 0U);
}

TEST(JobType, MarksWhatIsNotSet) {
    Plugin plugin("p", "1");
    plugin.job<Nothing>("a");

    const jobhost_job_type& type = *plugin.finish()->job_types[0];

    EXPECT_EQ(type.timeout_us, -1);
    EXPECT_EQ(type.n_do_not_retry, 0U);
    EXPECT_EQ(type.retry->max_attempts, -1);
    EXPECT_EQ(type.retry->initial_delay_us, -1);
    EXPECT_EQ(type.retry->multiplier, 0.0);
    EXPECT_EQ(type.retry->max_delay_us, -1);
    EXPECT_EQ(view(type.retry->delay), "");
    EXPECT_EQ(type.retry->retry_for_us, -1);
}

TEST(JobType, KeepsZeroApartFromNotSet) {
    Plugin plugin("p", "1");
    plugin.job<Nothing>("a").timeout(0s).retry({.max_attempts = 0, .initial_delay = 0s});

    const jobhost_job_type& type = *plugin.finish()->job_types[0];

    EXPECT_EQ(type.timeout_us, 0);
    EXPECT_EQ(type.retry->max_attempts, 0);
    EXPECT_EQ(type.retry->initial_delay_us, 0);
}

TEST(JobType, CarriesItsPolicyInMicroseconds) {
    Plugin plugin("p", "1");
    plugin.job<Nothing>("a")
        .retry({.max_attempts = 5,
                .initial_delay = 30s,
                .multiplier = 1.5,
                .max_delay = 1h,
                .delay = "steady",
                .retry_for = 24h})
        .timeout(5min);

    const jobhost_job_type& type = *plugin.finish()->job_types[0];

    EXPECT_EQ(type.timeout_us, 300'000'000);
    EXPECT_EQ(type.retry->max_attempts, 5);
    EXPECT_EQ(type.retry->initial_delay_us, 30'000'000);
    EXPECT_EQ(type.retry->multiplier, 1.5);
    EXPECT_EQ(type.retry->max_delay_us, 3'600'000'000);
    EXPECT_EQ(view(type.retry->delay), "steady");
    EXPECT_EQ(type.retry->retry_for_us, 86'400'000'000);
}

TEST(DoNotRetry, ListsNamesAndDeclaresTheTypesOnce) {
    Plugin plugin("p", "1");
    plugin.job<Nothing>("a").do_not_retry<std::invalid_argument, std::bad_alloc>();
    plugin.job<Nothing>("b").do_not_retry<std::bad_alloc>();
    plugin.error<std::overflow_error>();

    const jobhost_plugin& tables = *plugin.finish();

    const jobhost_job_type& type = *tables.job_types[0];
    EXPECT_THAT(views(type.do_not_retry, type.n_do_not_retry),
                ElementsAre("std::invalid_argument", "std::bad_alloc"));
    ASSERT_EQ(tables.n_error_types, 3U);
    EXPECT_EQ(view(tables.error_types[2]->name), "std::overflow_error");
    EXPECT_THAT(views(tables.error_types[2]->bases, tables.error_types[2]->n_bases),
                ElementsAre("std::runtime_error", "std::exception"));
}

TEST(Registration, RefusesMistakes) {
    EXPECT_EQ(message_of([](Plugin& p) { p.job<Nothing>(""); }), "job type without a name");
    EXPECT_THAT(message_of([](Plugin& p) {
                    p.job<Nothing>("a");
                    p.job<Nothing>("a");
                }),
                HasSubstr("twice"));
    EXPECT_THAT(message_of([](Plugin& p) {
                    p.job<Nothing>("a").dead_letter<NothingFailed>().dead_letter<NothingFailed>();
                }),
                HasSubstr("two dead-letter handlers"));
    EXPECT_THAT(message_of([](Plugin& p) { p.job<Nothing>("a").timeout(-1s); }),
                HasSubstr("timeout"));
    EXPECT_THAT(message_of([](Plugin& p) { p.job<Nothing>("a").retry({.multiplier = 0.0}); }),
                HasSubstr("multiplier"));
    EXPECT_THAT(message_of([](Plugin& p) { p.job<Nothing>("a").retry({.max_attempts = -1}); }),
                HasSubstr("max_attempts"));
}

TEST(Factory, MayAnswerAValueAUniquePointerOrASharedPointer) {
    using jobhost::testing::run;

    EXPECT_TRUE(run<NeedsText>({}, [] { return NeedsText("value"); }).logged("value"));
    EXPECT_TRUE(
        run<NeedsText>({}, [] { return std::make_unique<NeedsText>("unique"); }).logged("unique"));
    EXPECT_TRUE(
        run<NeedsText>({}, [] { return std::make_shared<NeedsText>("shared"); }).logged("shared"));
}

TEST(Factory, ThatAnswersNothingFailsTheRun) {
    const auto result =
        jobhost::testing::run<NeedsText>({}, [] { return std::unique_ptr<NeedsText>(); });

    EXPECT_THAT(result.error.value().message, HasSubstr("null pointer"));
}

TEST(Runs, GetAFreshInstanceEach) {
    Plugin plugin("p", "1");
    plugin.job<CountsRuns>("a");
    const jobhost_job_type& type = *plugin.finish()->job_types[0];

    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(jobhost::detail::run_job(type, nullptr, {}).logged("1"));
    }
}

TEST(Settings, DoNotExistBeforeTheStart) {
    Plugin plugin("p", "1");

    EXPECT_THROW(static_cast<void>(plugin.settings()), std::logic_error);
}

}  // namespace
