#include "host/cli/command_line.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace jobhost::cli {
namespace {

Invocation parse(std::vector<std::string> arguments) {
    auto parsed = parse_command_line(std::move(arguments));
    if (const auto* none = std::get_if<NoCommand>(&parsed)) {
        ADD_FAILURE() << none->text;
        return {};
    }
    return std::get<Invocation>(parsed);
}

template <class Wanted>
Wanted parse_as(std::vector<std::string> arguments) {
    Invocation invocation = parse(std::move(arguments));
    const auto* command = std::get_if<Wanted>(&invocation.command);
    if (command == nullptr) {
        ADD_FAILURE() << "another command";
        return {};
    }
    return *command;
}

NoCommand refused(std::vector<std::string> arguments) {
    auto parsed = parse_command_line(std::move(arguments));
    const auto* none = std::get_if<NoCommand>(&parsed);
    if (none == nullptr) {
        ADD_FAILURE() << "was accepted";
        return {};
    }
    return *none;
}

TEST(CommandLine, TakesConfigAndJsonBeforeAndAfterTheCommand) {
    const Invocation before = parse({"-c", "a.yaml", "--json", "nodes"});
    const Invocation after = parse({"nodes", "--json", "-c", "a.yaml"});
    const Invocation deep = parse({"jobs", "list", "--json", "--config", "a.yaml"});

    for (const Invocation* invocation : {&before, &after, &deep}) {
        EXPECT_EQ(invocation->config_file, "a.yaml");
        EXPECT_TRUE(invocation->json);
    }
}

TEST(CommandLine, RunKnowsUntilEmpty) {
    EXPECT_FALSE(parse_as<RunCommand>({"run"}).until_empty);
    EXPECT_TRUE(parse_as<RunCommand>({"run", "--until-empty"}).until_empty);
}

TEST(CommandLine, DeadLetterRerunNamesARunAndMayBeForced) {
    const auto plain = parse_as<DeadLetterRerunCommand>({"deadletter", "rerun", "7"});
    EXPECT_EQ(plain.id, "7");
    EXPECT_FALSE(plain.force);
    EXPECT_TRUE(parse_as<DeadLetterRerunCommand>({"deadletter", "rerun", "7", "--force"}).force);
    EXPECT_NE(refused({"deadletter", "rerun"}).text.find("ID"), std::string::npos);
}

TEST(CommandLine, EnqueueCollectsOptionsUnderTheirJsonNames) {
    const auto command = parse_as<EnqueueCommand>(
        {"enqueue", "mail.send", "--input", R"({"a":[1,2]})", "--max-attempts", "3", "--run-at",
         "2026-01-01T00:00:00Z", "--tag", "x", "--tag", "[y,z]", "--idempotency-key", "k"});

    EXPECT_EQ(command.type, "mail.send");
    EXPECT_EQ(command.input, R"({"a":[1,2]})");
    const NamedOptions wanted{
        {"max_attempts", "3"}, {"run_at", "2026-01-01T00:00:00Z"}, {"idempotency_key", "k"}};
    EXPECT_TRUE(std::is_permutation(command.options.begin(), command.options.end(), wanted.begin(),
                                    wanted.end()));
    EXPECT_EQ(command.tags, (std::vector<std::string>{"x", "[y,z]"}));
}

TEST(CommandLine, InputMayBeAnyJson) {
    for (const char* input : {"[1,2]", "[]", "-5", "-", "\"\"", "null", "{}", "@file", ""}) {
        EXPECT_EQ(parse_as<EnqueueCommand>({"enqueue", "t", "--input", input}).input, input);
    }
}

TEST(CommandLine, BulkTakesNothingElse) {
    parse_as<BulkEnqueueCommand>({"enqueue", "--bulk"});

    EXPECT_FALSE(refused({"enqueue", "mail.send", "--bulk"}).is_help);
    EXPECT_FALSE(refused({"enqueue", "--bulk", "--queue", "q"}).is_help);
    EXPECT_FALSE(refused({"enqueue"}).is_help);
}

TEST(CommandLine, ListReadsItsFilter) {
    const auto command =
        parse_as<JobsListCommand>({"jobs",      "list",    "--state", "failed,expired", "--state",
                                   "cancelled", "--queue", "q",       "--type",         "t",
                                   "--tag",     "g",       "--error", "std::bad_alloc", "--since",
                                   "1h",        "--limit", "7",       "--after",        "xyz"});

    EXPECT_EQ(command.filter.states, (std::vector<std::string>{"failed", "expired", "cancelled"}));
    EXPECT_EQ(command.filter.error, "std::bad_alloc");
    EXPECT_EQ(command.limit, 7);
    EXPECT_EQ(command.after, "xyz");
}

TEST(CommandLine, ActsTakeSeveralIdsOrAFilter) {
    const auto ids = parse_as<JobsActCommand>({"jobs", "cancel", "1", "2"});
    const auto filtered =
        parse_as<JobsActCommand>({"jobs", "requeue", "--state", "failed", "--dry-run", "--fresh"});

    EXPECT_EQ(ids.act, api::Act::kCancel);
    EXPECT_EQ(ids.ids, (std::vector<std::string>{"1", "2"}));
    EXPECT_EQ(filtered.act, api::Act::kRequeue);
    EXPECT_TRUE(filtered.dry_run);
    EXPECT_TRUE(filtered.fresh);
    EXPECT_EQ(parse_as<JobsActCommand>({"jobs", "delete", "1"}).act, api::Act::kDelete);
}

TEST(CommandLine, AnEmptyFilterNeverMeansEverything) {
    for (const char* flag : {"--state", "--queue", "--type", "--tag", "--error", "--since"}) {
        const NoCommand none = refused({"jobs", "delete", "--state", "failed", flag, ""});

        EXPECT_NE(none.text.find("is empty"), std::string::npos) << flag << ": " << none.text;
    }
}

TEST(CommandLine, QueuesAndTypesListPauseAndResume) {
    using Act = PausableCommand::Act;
    const auto list = parse_as<PausableCommand>({"queues"});
    const auto pause =
        parse_as<PausableCommand>({"types", "pause", "mail.send", "--service", "mail"});
    const auto resume = parse_as<PausableCommand>({"queues", "resume", "default"});

    EXPECT_EQ(list.act, Act::kList);
    EXPECT_EQ(list.kind, Pause::Kind::kQueue);
    EXPECT_EQ(pause.act, Act::kPause);
    EXPECT_EQ(pause.kind, Pause::Kind::kType);
    EXPECT_EQ(pause.name, "mail.send");
    EXPECT_EQ(pause.service, "mail");
    EXPECT_EQ(resume.act, Act::kResume);
}

TEST(CommandLine, KnowsTheOtherCommands) {
    EXPECT_TRUE(parse_as<CheckCommand>({"check", "--strict"}).strict);
    EXPECT_EQ(parse_as<ExplainCommand>({"explain", "t", "--queue", "q"}).queue, "q");
    EXPECT_EQ(parse_as<JobsShowCommand>({"jobs", "show", "5"}).id, "5");
    EXPECT_EQ(parse_as<WhyCommand>({"why", "5"}).id, "5");
    EXPECT_EQ(parse_as<DeadLetterListCommand>({"deadletter", "list", "--job", "5"}).job, "5");
    parse_as<NodesCommand>({"nodes"});
    parse_as<StatsCommand>({"stats"});
    parse_as<PurgeCommand>({"purge"});
    parse_as<MigrateCommand>({"migrate"});
    EXPECT_EQ(parse_as<BenchCommand>({"bench", "--jobs", "10", "--also", "sqlite:x"}).jobs, 10);
    EXPECT_NE(refused({"bench", "--samples", "0"}).text.find("--samples"), std::string::npos);
    parse_as<VersionCommand>({"version"});
    parse_as<VersionCommand>({"--version"});
}

TEST(CommandLine, HelpIsNoMistake) {
    EXPECT_TRUE(refused({"--help"}).is_help);
    EXPECT_NE(refused({"enqueue", "--help"}).text.find("--on-duplicate"), std::string::npos);
    EXPECT_NE(refused({"jobs", "list", "--help"}).text.find("--since"), std::string::npos);
}

TEST(CommandLine, NamesWhatItDoesNotKnowAndWhatWasMeant) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> lines{
        {{"frobnicate"}, "unknown command `frobnicate`; see `jobhost --help`"},
        {{"jbos", "list"}, "unknown command `jbos`; did you mean `jobs`? See `jobhost --help`"},
        {{"jobs", "lst"}, "unknown command `lst`; did you mean `list`? See `jobhost jobs --help`"},
        {{"run", "--untl-empty"},
         "unknown option `--untl-empty`; did you mean `--until-empty`? See `jobhost run --help`"},
        {{"nodes", "one", "two"}, "unexpected arguments `one`, `two`; see `jobhost nodes --help`"},
        {{"enqueue", "t", "--qeue=mail"},
         "unknown option `--qeue`; did you mean `--queue`? See `jobhost enqueue --help`"},
        {{"why", "--jsn"},
         "unknown option `--jsn`; did you mean `--json`? See `jobhost why --help`"},
        {{"jobs"}, "which command? See `jobhost jobs --help`"}};
    for (const auto& [line, sentence] : lines) {
        EXPECT_EQ(refused(line).text, sentence);
        EXPECT_FALSE(refused(line).json);
    }
}

TEST(CommandLine, AMistakeKnowsThatJsonWasAskedFor) {
    EXPECT_TRUE(refused({"--json", "frobnicate"}).json);
    EXPECT_TRUE(refused({"run", "--fast", "--json"}).json);
    EXPECT_FALSE(refused({"run", "--fast"}).json);
}

class BadLine : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(BadLine, IsRefusedAndPointsAtHelp) {
    const NoCommand none = refused(GetParam());

    EXPECT_FALSE(none.is_help);
    EXPECT_NE(none.text.find("--help"), std::string::npos) << none.text;
}

INSTANTIATE_TEST_SUITE_P(
    CommandLine, BadLine,
    testing::Values(std::vector<std::string>{}, std::vector<std::string>{"frobnicate"},
                    std::vector<std::string>{"run", "--fast"}, std::vector<std::string>{"jobs"},
                    std::vector<std::string>{"jobs", "show"},
                    std::vector<std::string>{"jobs", "list", "--limit", "0"},
                    std::vector<std::string>{"jobs", "list", "--limit", "x"},
                    std::vector<std::string>{"why"}, std::vector<std::string>{"queues", "pause"},
                    std::vector<std::string>{"nodes", "extra"}));

}  // namespace
}  // namespace jobhost::cli
