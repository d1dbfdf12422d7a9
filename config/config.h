#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace jobhost::config {

/// Every duration of the configuration. Never negative, at most 36,500 days.
using Duration = std::chrono::microseconds;

/// The values of one retry policy level. Not set means that a wider level decides, which is not the
/// same as a value that equals the default.
struct RetryValues {
    std::optional<int> max_attempts = {};        ///< 0..1,000,000 as read; 0 and 1: one run
    std::optional<Duration> initial_delay = {};  ///< zero: at once
    std::optional<double> multiplier = {};       ///< finite, >= 1
    std::optional<Duration> max_delay = {};      ///< >= initial_delay of the same level
    std::optional<std::string> delay = {};       ///< name of a delay function, or "default"
    std::optional<Duration> retry_for = {};      ///< > 0
    std::string where = {};                      ///< "jobhost.yaml:12"; empty when not in a file

    bool operator==(const RetryValues&) const = default;
};

/// One entry of `on:`.
struct ErrorRetry {
    std::string error = {};  ///< name of a C++ type as written, never empty
    RetryValues values = {};

    bool operator==(const ErrorRetry&) const = default;
};

/// `retry:` of the whole file, of a queue, or of a job type.
struct RetryPolicy {
    RetryValues values = {};
    std::vector<std::string> do_not_retry = {};  ///< type names; always empty in a queue
    std::optional<bool> retry_payload_errors = {};
    std::vector<ErrorRetry> on = {};  ///< in the order of the file, no error twice

    bool operator==(const RetryPolicy&) const = default;
};

/// What a level of the file may say about the jobs that it covers.
struct Policy {
    RetryPolicy retry = {};
    std::optional<Duration> timeout = {};  ///< zero: explicitly no limit
    std::string timeout_where = {};        ///< "jobhost.yaml:9"; empty when not set

    bool operator==(const Policy&) const = default;
};

struct QueueConfig {
    std::string name = "default";
    int workers = 10;  ///< 1..1000
    Policy policy = {};
    std::string where = {};  ///< "jobhost.yaml:7"; empty for the queue that exists by default

    bool operator==(const QueueConfig&) const = default;
};

enum class DeadLetterDelivery { kAtMostOnce, kAtLeastOnce };

/// `jobs.<type>`: a type need not be known to any plugin when the file is read.
struct JobTypeConfig {
    Policy policy = {};
    std::optional<DeadLetterDelivery> dead_letter_delivery = {};
    std::string where = {};

    bool operator==(const JobTypeConfig&) const = default;
};

enum class StorageSynchronous { kFull, kNormal };

struct StorageConfig {
    /// "sqlite://" and the absolute path, whichever form the file uses; or postgresql://..., which
    /// may hold a password: show it only as shown_url() does.
    std::string url = {};
    /// The SQLite file: absolute and lexically normal. Empty for PostgreSQL.
    std::string path = {};
    std::string schema = "jobhost";  ///< PostgreSQL: where the tables are
    bool listen = true;              ///< PostgreSQL: false behind a pooler of transactions
    StorageSynchronous synchronous = StorageSynchronous::kFull;

    bool operator==(const StorageConfig&) const = default;
};

enum class Isolation { kThread };

/// One entry of `plugins.load`.
struct PluginConfig {
    std::string path = {};                   ///< absolute and lexically normal
    std::optional<std::string> sha256 = {};  ///< 64 lower-case hexadecimal digits
    Isolation isolation = Isolation::kThread;
    std::string settings_json = "{}";  ///< a JSON object, keys in the order of the file
    std::string where = {};

    bool operator==(const PluginConfig&) const = default;
};

struct PluginsConfig {
    std::vector<std::string> directories = {};  ///< absolute; every *.so in them is a plugin
    std::string directories_where = {};         ///< "jobhost.yaml:5"; empty when not set
    std::vector<PluginConfig> load = {};
    bool allow_insecure = false;  ///< accepts files and folders that others may write

    bool operator==(const PluginsConfig&) const = default;
};

struct HeartbeatConfig {
    Duration interval = std::chrono::seconds(5);  ///< >= 100 ms
    Duration timeout = std::chrono::seconds(30);  ///< >= 2 x interval

    bool operator==(const HeartbeatConfig&) const = default;
};

/// Zero is allowed in both: do not wait.
struct ShutdownConfig {
    Duration grace = std::chrono::seconds(15);
    Duration cancel = std::chrono::seconds(10);

    bool operator==(const ShutdownConfig&) const = default;
};

struct DeadLetterConfig {
    DeadLetterDelivery delivery = DeadLetterDelivery::kAtMostOnce;
    Duration timeout = std::chrono::minutes(5);  ///< > 0
    int workers = 4;                             ///< 1..1000

    bool operator==(const DeadLetterConfig&) const = default;
};

/// How long finished jobs and idempotency keys are kept. Zero: for ever.
struct RetentionConfig {
    Duration succeeded = std::chrono::hours(7 * 24);
    Duration failed = std::chrono::hours(30 * 24);
    Duration expired = std::chrono::hours(7 * 24);
    Duration cancelled = std::chrono::hours(7 * 24);
    /// The loader fills it in when it is not in the file: the longest of the four.
    Duration keys = std::chrono::hours(30 * 24);

    bool operator==(const RetentionConfig&) const = default;
};

struct LimitsConfig {
    std::int64_t max_input_bytes = 1024 * 1024;  ///< 1..16 MiB
    int max_snoozes = 1000;                      ///< 0..1,000,000

    bool operator==(const LimitsConfig&) const = default;
};

enum class LogLevel { kTrace, kDebug, kInfo, kWarn, kError };
enum class LogFormat { kText, kJson };

struct LogConfig {
    LogLevel level = LogLevel::kInfo;
    LogFormat format = LogFormat::kText;
    std::optional<std::string> file = {};  ///< absolute; not set: standard error

    bool operator==(const LogConfig&) const = default;
};

/// `http:`. Without it the host opens no port.
struct HttpConfig {
    std::string address = {};               ///< a numeric IPv4 or IPv6 address; empty: no HTTP
    int port = 0;                           ///< 0: a free one, which the log names
    std::optional<std::string> token = {};  ///< the content of `token_file`
    bool behind_tls_proxy = false;

    bool operator==(const HttpConfig&) const = default;
};

/// What the operator wrote, checked, with defaults filled in and paths made absolute. Plain data:
/// nothing here opens, loads or connects. Where a struct is made by hand (tests, tools), its
/// defaults are those of a file that sets nothing.
struct Config {
    std::string service = "default";
    std::string node_name = {};  ///< `node`; empty: the host's name. Never evidence of anything.
    StorageConfig storage = {};
    PluginsConfig plugins = {};
    std::vector<QueueConfig> queues = {QueueConfig{}};  ///< never empty, no name twice
    Policy policy = {};                                 ///< top-level `retry` and `timeout`
    std::map<std::string, JobTypeConfig, std::less<>> jobs = {};
    HeartbeatConfig heartbeat = {};
    ShutdownConfig shutdown = {};
    DeadLetterConfig dead_letter = {};
    RetentionConfig retention = {};
    LimitsConfig limits = {};
    HttpConfig http = {};
    LogConfig log = {};

    bool operator==(const Config&) const = default;
};

}  // namespace jobhost::config
