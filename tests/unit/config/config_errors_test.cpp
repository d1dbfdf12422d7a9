#include <gtest/gtest.h>

#include "tests/unit/config/parse.h"

namespace jobhost::config {
namespace {

struct Case {
    const char* yaml;
    const char* errors;
};

void expect_errors(std::initializer_list<Case> cases) {
    for (const Case& one : cases) EXPECT_EQ(errors_of(one.yaml), one.errors) << one.yaml;
}

constexpr const char* kWorkers = "queues[0].workers: must be a whole decimal number from 1 to 1000";

TEST(ConfigErrors, NameTheNearestKnownKey) {
    expect_errors({
        {"timout: 5m\n", "j.yaml:2:1: timout: unknown key; did you mean `timeout`?\n"},
        {"retry: { max_atempts: 3 }\n",
         "j.yaml:2:10: retry.max_atempts: unknown key; did you mean `max_attempts`?\n"},
        {"queues:\n  - { name: a, worker: 3 }\n",
         "j.yaml:3:16: queues[0].worker: unknown key; did you mean `workers`?\n"},
        {"jobs:\n  a.b:\n    retries: 3\n    retyr: {}\n",
         "j.yaml:4:5: jobs.a.b.retries: unknown key; known here: dead_letter, retry, timeout\n"
         "j.yaml:5:5: jobs.a.b.retyr: unknown key; did you mean `retry`?\n"},
        {"max_attempts: 3\n",
         "j.yaml:2:1: max_attempts: unknown key here; did you mean `retry.max_attempts`?\n"},
        {"shutdown: { qwertz: 1 }\n",
         "j.yaml:2:13: shutdown.qwertz: unknown key; known here: cancel, grace\n"},
        {"Timeout: 5m\n", "j.yaml:2:1: Timeout: unknown key; did you mean `timeout`?\n"},
        {"retry: { on: { X: { max_atempts: 3 } } }\n",
         "j.yaml:2:21: retry.on.X.max_atempts: unknown key; did you mean `max_attempts`?\n"},
    });
}

TEST(ConfigErrors, FindEveryWrongFormOfANumber) {
    for (const char* text : {"010", "08", "0o17", "0x10", "1_000", "1e3", "+5", "-5", "5.0", "0",
                             "1001", "99999999999999999999", "five", "true"}) {
        EXPECT_EQ(errors_of("queues: [ { name: a, workers: " + std::string(text) + " } ]\n"),
                  "j.yaml:2:31: " + std::string(kWorkers) + ", not `" + text + "`\n");
    }
    for (const char* text : {"5", " 5 ", "010"}) {
        EXPECT_EQ(errors_of("queues: [ { name: a, workers: '" + std::string(text) + "' } ]\n"),
                  "j.yaml:2:31: " + std::string(kWorkers) + ", not `" + text + "` in quotes\n");
    }
    EXPECT_EQ(errors_of("queues: [ { name: a, workers: } ]\n"),
              "j.yaml:2:22: " + std::string(kWorkers) + ", but has no value\n");
}

TEST(ConfigErrors, FindEveryWrongFormOfABoolean) {
    for (const char* text : {"yes", "no", "on", "off", "y", "n", "True", "TRUE", "1", "0"}) {
        EXPECT_EQ(errors_of("plugins: { allow_insecure: " + std::string(text) + " }\n"),
                  "j.yaml:2:28: plugins.allow_insecure: must be true or false, not `" +
                      std::string(text) + "`\n");
    }
    EXPECT_EQ(
        errors_of("plugins: { allow_insecure: 'false' }\n"),
        "j.yaml:2:28: plugins.allow_insecure: must be true or false, not `false` in quotes\n");
    EXPECT_EQ(errors_of("plugins: { allow_insecure: ~ }\n"),
              "j.yaml:2:28: plugins.allow_insecure: must be true or false, but has no value\n");
}

TEST(ConfigErrors, FindEveryWrongDuration) {
    const std::string must = "must be a duration such as 500ms, 30s, 5m, 1h, 7d or 01:30:00, not ";
    EXPECT_EQ(errors_of("timeout: 90\n"),
              "j.yaml:2:10: timeout: " + must + "`90`: the unit is missing\n");
    EXPECT_EQ(errors_of("timeout: 1h30m\n"),
              "j.yaml:2:10: timeout: " + must + "`1h30m`: one unit only, write 90m for 1h30m\n");
    expect_errors({
        {"timeout:\n", "j.yaml:2:1: timeout: must be a duration such as 30s, but has no value\n"},
        {"timeout: [1s]\n", "j.yaml:2:10: timeout: must be one value, not a list\n"},
        {"timeout: { a: 1 }\n", "j.yaml:2:10: timeout: must be one value, not a mapping\n"},
        {"timeout: 40000d\n", "j.yaml:2:10: timeout: must be at most 36500d\n"},
        {"dead_letter: { timeout: 0 }\n",
         "j.yaml:2:25: dead_letter.timeout: must be longer than 0, not `0`\n"},
        {"retry: { retry_for: 0s }\n",
         "j.yaml:2:21: retry.retry_for: must be longer than 0, not `0s`\n"},
        {"heartbeat: { interval: 0 }\n",
         "j.yaml:2:24: heartbeat.interval: must be at least 100ms, not `0`\n"},
        {"heartbeat: { interval: 99ms }\n",
         "j.yaml:2:24: heartbeat.interval: must be at least 100ms, not `99ms`\n"},
    });
}

TEST(ConfigErrors, FindSizesAndWordsOutsideTheirRange) {
    expect_errors({
        {"limits: { max_input_bytes: 17MiB }\n",
         "j.yaml:2:28: limits.max_input_bytes: must be from 1 to 16MiB, not `17MiB`\n"},
        {"limits: { max_input_bytes: 0 }\n",
         "j.yaml:2:28: limits.max_input_bytes: must be from 1 to 16MiB, not `0`\n"},
        {"limits: { max_input_bytes: 1MB }\n",
         "j.yaml:2:28: limits.max_input_bytes: must be a size such as 64KiB, 1MiB or a plain "
         "number "
         "of bytes, not `1MB`\n"},
        {"limits: { max_snoozes: 1000001 }\n",
         "j.yaml:2:24: limits.max_snoozes: must be a whole decimal number from 0 to 1000000, not "
         "`1000001`\n"},
        {"log: { level: warning, format: xml }\n",
         "j.yaml:2:15: log.level: must be one of trace, debug, info, warn, error, not `warning`\n"
         "j.yaml:2:32: log.format: must be one of text, json, not `xml`\n"},
        {"dead_letter: { delivery: exactly_once }\n",
         "j.yaml:2:26: dead_letter.delivery: must be one of at_most_once, at_least_once, not "
         "`exactly_once`\n"},
        {"jobs: { a: { dead_letter: { delivery: ~ } } }\n",
         "j.yaml:2:39: jobs.a.dead_letter.delivery: must be one of at_most_once, at_least_once, "
         "but "
         "has no value\n"},
    });
}

TEST(ConfigErrors, FindWrongRetryPolicies) {
    const std::string factor = "retry.multiplier: must be a decimal number of at least 1, not ";
    for (const char* text : {"0.5", "0", "-1", ".inf", ".nan", "1e3", "inf", "two"}) {
        EXPECT_EQ(
            errors_of("retry: { initial_delay: 1s, multiplier: " + std::string(text) + " }\n"),
            "j.yaml:2:41: " + factor + "`" + text + "`\n");
    }
    expect_errors({
        {"retry: { max_attempts: -1 }\n",
         "j.yaml:2:24: retry.max_attempts: must be a whole decimal number from 0 to 1000000, not "
         "`-1`\n"},
        {"retry: { initial_delay: 5m, max_delay: 1m }\n",
         "j.yaml:2:40: retry.max_delay: must be at least initial_delay (5m), not 1m\n"},
        {"retry: { initial_delay: 5m, delay: default }\n",
         "j.yaml:2:36: retry.delay: cannot stand beside initial_delay; choose one\n"},
        {"retry: { delay: 30s }\n",
         "j.yaml:2:17: retry.delay: must be the name of a delay function, or default; a delay of "
         "your "
         "own goes into initial_delay, not `30s`\n"},
        {"retry: { delay: mine, multiplier: 3 }\n",
         "j.yaml:2:35: retry.multiplier: has no use with delay: `mine` (j.yaml:2); it needs "
         "initial_delay\n"},
        {"jobs:\n  a:\n    retry:\n      on: { X: { max_delay: 1h } }\n      delay: mine\n",
         "j.yaml:5:29: jobs.a.retry.on.X.max_delay: has no use with delay: `mine` (j.yaml:4); it "
         "needs initial_delay\n"},
        {"retry: { do_not_retry: [a, '', ' b'] }\n",
         "j.yaml:2:28: retry.do_not_retry[1]: must not be empty\n"
         "j.yaml:2:32: retry.do_not_retry[2]: must be the name of a C++ type, without spaces "
         "around "
         "it, not ` b`\n"},
        {"retry: { do_not_retry: a }\n", "j.yaml:2:24: retry.do_not_retry: must be a list\n"},
        {"retry: { on: { '': {} } }\n", "j.yaml:2:16: retry.on.: must not be empty\n"},
        {"retry: { on: { X: { on: {} } } }\n",
         "j.yaml:2:21: retry.on.X.on: has no place in an entry of on\n"},
        {"retry: { on: { X: { do_not_retry: [] } } }\n",
         "j.yaml:2:21: retry.on.X.do_not_retry: has no place in an entry of on\n"},
        {"retry: { on: { X: 3 } }\n",
         "j.yaml:2:19: retry.on.X: must be a mapping of keys to values\n"},
        {"queues: [ { name: a, retry: { do_not_retry: [x] } } ]\n",
         "j.yaml:2:31: queues[0].retry.do_not_retry: belongs into the top-level retry or into "
         "jobs.<type>.retry\n"},
    });
}

TEST(ConfigErrors, FindWrongQueuesAndTypes) {
    expect_errors({
        {"queues: []\n",
         "j.yaml:2:9: queues: must list at least one queue; without the key there is one named "
         "default\n"},
        {"queues:\n", "j.yaml:2:1: queues: must be a list\n"},
        {"queues: { name: a }\n", "j.yaml:2:9: queues: must be a list\n"},
        {"queues: [ a ]\n", "j.yaml:2:11: queues[0]: must be a mapping of keys to values\n"},
        {"queues:\n  - workers: 3\n  -\n",
         "j.yaml:3:5: queues[0]: needs `name`\nj.yaml:4:3: queues[1]: needs `name`\n"},
        {"queues:\n  - name: a\n  - name: b\n  - name: a\n",
         "j.yaml:5:11: queues[2].name: the queue is already defined at j.yaml:3\n"},
        {"queues: [ { name: ~ }, { name: }, { name: '' } ]\n",
         "j.yaml:2:19: queues[0].name: must be a name of letters, digits and _ . - : / only, not "
         "`~`\n"
         "j.yaml:2:26: queues[1].name: must not be empty\n"
         "j.yaml:2:43: queues[2].name: must not be empty\n"},
        {"jobs: { 'a b': {}, '*': {} }\n",
         "j.yaml:2:9: jobs.a b: the job type must be a name of letters, digits and _ . - : / only, "
         "not `a b`\n"
         "j.yaml:2:20: jobs.*: the job type must be a name of letters, digits and _ . - : / only, "
         "not "
         "`*`\n"},
        {"jobs: [ a ]\n", "j.yaml:2:7: jobs: must be a mapping of keys to values\n"},
        {"service: 'a b'\n",
         "j.yaml:2:10: service: must be a name of letters, digits and _ . - : / only, not `a b`\n"},
        {"service: ''\n", "j.yaml:2:10: service: must not be empty\n"},
    });
}

TEST(ConfigErrors, FindWrongPlugins) {
    expect_errors({
        {"plugins: { load: [ { sha256: abc } ] }\n",
         "j.yaml:2:20: plugins.load[0]: needs `path`\n"
         "j.yaml:2:30: plugins.load[0].sha256: must be 64 hexadecimal digits, not `abc`\n"},
        {"plugins: { load: [ { path: a.so, isolation: process } ] }\n",
         "j.yaml:2:45: plugins.load[0].isolation: process is not supported yet by this version; "
         "use "
         "thread\n"},
        {"plugins: { load: [ { path: a.so, isolation: fork } ] }\n",
         "j.yaml:2:45: plugins.load[0].isolation: must be thread, not `fork`\n"},
        {"plugins: { load: [ { path: a.so, settings: [1] } ] }\n",
         "j.yaml:2:44: plugins.load[0].settings: must be a mapping of keys to values\n"},
        {"plugins: { load: [ { path: a.so, settings: { a: 1, a: 2 } } ] }\n",
         "j.yaml:2:52: duplicate key `a`, first set in line 2\n"},
        {"plugins: { load: [ { path: a.so }, { path: ./b/../a.so } ] }\n",
         "j.yaml:2:44: plugins.load[1].path: the plugin is already listed at j.yaml:2\n"},
        {"plugins: { load: [ { path: lib/ }, { path: } ] }\n",
         "j.yaml:2:28: plugins.load[0].path: must be the path of a file, not `lib/`\n"
         "j.yaml:2:38: plugins.load[1].path: must be text, but has no value\n"},
        {"plugins: { directories: lib }\n", "j.yaml:2:25: plugins.directories: must be a list\n"},
        {"plugins: { directories: [ [a], '' ] }\n",
         "j.yaml:2:27: plugins.directories[0]: must be one value, not a list\n"
         "j.yaml:2:32: plugins.directories[1]: must not be empty\n"},
        {"plugins: { directories: [ \"a\\0b\" ] }\n",
         "j.yaml:2:27: plugins.directories[0]: must not hold a NUL character\n"},
    });
}

TEST(ConfigErrors, FindAHeartbeatTimeoutBelowTwoIntervals) {
    expect_errors({
        {"heartbeat: { interval: 10s, timeout: 19s }\n",
         "j.yaml:2:38: heartbeat.timeout: the timeout (19s) must be at least twice the interval "
         "(10s)\n"},
        {"heartbeat: { interval: 16s }\n",
         "j.yaml:2:24: heartbeat.interval: the timeout (30s) must be at least twice the interval "
         "(16s)\n"},
    });
    EXPECT_EQ(errors_of("heartbeat: { interval: 15s }\n"), "no error\n");
}

TEST(ConfigErrors, NameTheVariableAndNeverShowItsValue) {
    const Environment secret{{"S", "s3cret with spaces"}};
    const std::pair<const char*, const char*> cases[] = {
        {"service: ${S}\n",
         "j.yaml:2:10: service: must be a name of letters, digits and _ . - : / only, not the "
         "value of "
         "`${S}`\n"},
        {"timeout: x${S}\n",
         "j.yaml:2:10: timeout: must be a duration such as 500ms, 30s, 5m, 1h, 7d or 01:30:00, not "
         "the "
         "value of `x${S}`\n"},
        {"limits: { max_input_bytes: \"${S}\" }\n",
         "j.yaml:2:28: limits.max_input_bytes: must be a size such as 64KiB, 1MiB or a plain "
         "number of "
         "bytes, not the value of `${S}`\n"},
        {"log: { level: \"${S}\" }\n",
         "j.yaml:2:15: log.level: must be one of trace, debug, info, warn, error, not the value of "
         "`${S}`\n"},
        {"plugins: { allow_insecure: \"${S}\" }\n",
         "j.yaml:2:28: plugins.allow_insecure: must be true or false, not the value of `${S}`\n"},
        {"queues: [ { name: a, workers: \"${S}\" } ]\n",
         "j.yaml:2:31: queues[0].workers: must be a whole decimal number from 1 to 1000, not the "
         "value "
         "of `${S}`\n"},
        {"node: ${NOPE}\n",
         "j.yaml:2:7: node: environment variable NOPE is not set (${NOPE:-default} would give it a "
         "default)\n"},
        {"plugins: { load: [ { path: a.so, settings: { t: \"${NOPE}\" } } ] }\n",
         "j.yaml:2:49: plugins.load[0].settings.t: environment variable NOPE is not set "
         "(${NOPE:-default} would give it a default)\n"},
        {"${S}: 1\n",
         "j.yaml:2:1: ${S}: unknown key; known here: dead_letter, heartbeat, http, jobs, limits, "
         "log, "
         "node, "
         "plugins, queues, retention, retry, service, shutdown, storage, timeout\n"},
    };
    for (const auto& [yaml, expected] : cases) EXPECT_EQ(errors_of(yaml, secret), expected) << yaml;
}

TEST(ConfigErrors, AreAllReportedAtOnceInTheOrderOfTheFile) {
    EXPECT_EQ(
        errors_of("timeout: 90\n"
                  "log: { level: x }\n"
                  "timeout: 5m\n"
                  "quues: []\n"
                  "jobs: &j { a: { timeot: 5m } }\n"
                  "<<: *j\n"
                  "retry: { max_attempts: 1e3 }\n"
                  "---\n"
                  "a: 1\n"),
        "j.yaml:2:10: timeout: must be a duration such as 500ms, 30s, 5m, 1h, 7d or 01:30:00, not "
        "`90`: the unit is missing\n"
        "j.yaml:3:15: log.level: must be one of trace, debug, info, warn, error, not `x`\n"
        "j.yaml:4:1: duplicate key `timeout`, first set in line 2\n"
        "j.yaml:5:1: quues: unknown key; did you mean `queues`?\n"
        "j.yaml:6:17: jobs.a.timeot: unknown key; did you mean `timeout`?\n"
        "j.yaml:7:1: merge keys (<<) are not supported; write the keys out\n"
        "j.yaml:8:24: retry.max_attempts: must be a whole decimal number from 0 to 1000000, not "
        "`1e3`\n"
        "j.yaml:9:1: a second document begins here; a file holds one\n");
}

TEST(ConfigErrors, OfAnAnchorAreReportedWhereItStands) {
    EXPECT_EQ(errors_of("queues:\n  - { name: a, retry: &r { max_attempts: x } }\n  - { name: b, "
                        "retry: *r }\n"),
              "j.yaml:3:42: queues[0].retry.max_attempts: must be a whole decimal number from 0 to "
              "1000000, not `x`\n"
              "j.yaml:3:42: queues[1].retry.max_attempts: must be a whole decimal number from 0 to "
              "1000000, not `x`\n");
}

TEST(ConfigErrors, OfAFileThatIsNotYamlStandAlone) {
    expect_errors({
        {"timeout: 90\nqueues: [\n",
         "j.yaml:4:1: not valid YAML: end of sequence flow not found\n"},
        {"log:\n\tlevel: info\n", "j.yaml:3:1: not valid YAML: a tab cannot indent, use spaces\n"},
        {"service: \xFF\n", "j.yaml:2:10: the file is not UTF-8 here\n"},
    });
    for (const char* text : {"- a\n", "just text\n", "'quoted'\n"}) {
        const auto config = parse(text);
        ASSERT_FALSE(config);
        EXPECT_EQ(to_string(config.error()),
                  "j.yaml:1:1: the file must be a mapping of keys to values\n");
    }
}

}  // namespace
}  // namespace jobhost::config
