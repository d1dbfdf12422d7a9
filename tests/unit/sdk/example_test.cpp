#include <stdexcept>

#include <gmock/gmock.h>
#include <jobhost/testing.hpp>

namespace {

using namespace std::chrono_literals;
using jobhost::testing::PluginUnderTest;
using jobhost::testing::RunResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Entry, TellsItsVersionsAsConstantData) {
    EXPECT_EQ(jobhost_plugin_v1.magic, JOBHOST_MAGIC);
    EXPECT_EQ(jobhost_plugin_v1.struct_size, sizeof(jobhost_plugin_entry));
    EXPECT_EQ(jobhost_plugin_v1.abi_major, JOBHOST_ABI_MAJOR);
    EXPECT_EQ(jobhost_plugin_v1.pointer_bits, 64);
    EXPECT_EQ(jobhost_plugin_v1.min_host_minor, 0);
}

TEST(Entry, DescribesTheSameTablesEachTime) {
    const jobhost_plugin* first = jobhost_plugin_v1.describe(nullptr);

    EXPECT_NE(first, nullptr);
    EXPECT_EQ(jobhost_plugin_v1.describe(nullptr), first);
}

TEST(ExamplePlugin, RunsItsJob) {
    const PluginUnderTest plugin(jobhost_plugin_v1);

    const RunResult result =
        plugin.run("payments.process", {.input = R"({"order_id": "o-1", "amount": 5})"});

    EXPECT_TRUE(result.succeeded()) << result;
    EXPECT_TRUE(result.logged("paid o-1"));
}

TEST(ExamplePlugin, FindsTheSettingsOfTheCallElseItsOwn) {
    const PluginUnderTest plugin(jobhost_plugin_v1, R"({"currency": "EUR"})");
    const std::string order = R"({"order_id": "o-1", "amount": 5})";

    EXPECT_TRUE(plugin.run("payments.process", {.input = order}).logged("paid o-1 in EUR"));
    EXPECT_TRUE(
        plugin.run("payments.process", {.input = order, .settings = R"({"currency": "CHF"})"})
            .logged("paid o-1 in CHF"));
    EXPECT_TRUE(plugin.run("payments.process", {.input = order, .settings = "{}"})
                    .logged("paid o-1 in BRL"));
    EXPECT_TRUE(plugin.run("payments.process", {.input = order}).logged("paid o-1 in EUR"));
}

TEST(ExamplePlugin, RegistersItsPolicy) {
    const PluginUnderTest plugin(jobhost_plugin_v1);

    const jobhost_job_type& type = plugin.job_type("payments.process");

    EXPECT_EQ(type.retry->max_attempts, 5);
    EXPECT_EQ(type.timeout_us, 300'000'000);
    EXPECT_THAT(jobhost::detail::views(type.do_not_retry, type.n_do_not_retry),
                ElementsAre("InvalidPixKey"));
}

TEST(TypedInput, ThatDoesNotFitIsAPayloadErrorThatSaysWhy) {
    const PluginUnderTest plugin(jobhost_plugin_v1);

    const RunResult missing = plugin.run("payments.process", {.input = R"({"order_id": "o-1"})"});
    const RunResult broken = plugin.run("payments.process", {.input = "{"});

    EXPECT_EQ(missing.error.value().type, "jobhost::PayloadError");
    EXPECT_THAT(missing.error.value().message, HasSubstr("amount"));
    EXPECT_THAT(missing.error.value().message, HasSubstr("PaymentInput"));
    EXPECT_EQ(broken.error.value().type, "jobhost::PayloadError");
}

TEST(RawInput, IsTheTextByteForByte) {
    const PluginUnderTest plugin(jobhost_plugin_v1);

    EXPECT_TRUE(plugin.run("payments.count", {.input = "{ \"a\" :1 }"}).logged("10 bytes"));
}

TEST(ExamplePlugin, RunsItsDeadLetterHandler) {
    const PluginUnderTest plugin(jobhost_plugin_v1);

    EXPECT_TRUE(plugin
                    .run_dead_letter("payments.process", std::runtime_error("x"),
                                     {.input = R"({"order_id": "o-1", "amount": 5})"})
                    .succeeded());
    EXPECT_EQ(plugin
                  .run_dead_letter("payments.process", std::runtime_error("x"),
                                   {.input = R"({"order_id": "o-1", "amount": 5000})"})
                  .error.value()
                  .message,
              "call somebody");
}

TEST(ExamplePlugin, RunsItsForwarder) {
    const PluginUnderTest plugin(jobhost_plugin_v1);

    const RunResult result = plugin.run_forwarder("audit", "payments.process",
                                                  std::runtime_error("x"), {.tags = {"vip"}});

    EXPECT_TRUE(result.applied);
    EXPECT_EQ(result.enqueued.at(0).input, "\"std::runtime_error\"");
}

TEST(DelayFunction, AnswersADelayNothingOrAFailure) {
    const PluginUnderTest plugin(jobhost_plugin_v1);

    EXPECT_EQ(plugin.retry_delay("linear", std::runtime_error("x"), {.attempt = 3}, 2), 32s);
    EXPECT_EQ(plugin.retry_delay("linear", std::bad_alloc()), std::nullopt);
    EXPECT_LT(plugin.retry_delay("linear", std::logic_error("x")).value(), 0s);
}

TEST(OnStart, SeesSettingsAndMayLogAndEnqueue) {
    const PluginUnderTest plugin(jobhost_plugin_v1, R"({"a": 1})");

    EXPECT_EQ(plugin.log().at(0).text, "hello from test-node");
    EXPECT_EQ(plugin.enqueued().at(0).type, "payments.count");
}

TEST(OnStart, ThatThrowsStopsTheStartWithItsMessage) {
    try {
        const PluginUnderTest plugin(jobhost_plugin_v1, R"({"refuse": true})");
        FAIL() << "the plugin started";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "refused by settings");
    }
}

TEST(PluginUnderTest, SaysWhenANameIsNotRegistered) {
    const PluginUnderTest plugin(jobhost_plugin_v1);

    EXPECT_THROW(plugin.run("payments.proces"), std::out_of_range);
}

}  // namespace
