#pragma once

// How an application hands jobs to jobhost: opens the store and enqueues, without a running host.
// C++17, no other header of jobhost. Link `jobhost::client` (CMake: find_package(jobhost)).
//
//   jobhost::client::Client jobs({"sqlite:///var/lib/jobhost/jobs.db"});
//   auto job = jobs.enqueue("payments.process", R"({"order_id":"o-1"})");

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace jobhost::client {

enum class Priority { kCritical, kHigh, kNormal, kLow };

/// What a new job does when another one of its type holds its idempotency key. A job that has not
/// ended is always returned in its place (`Enqueued::duplicate`).
enum class OnDuplicate {
    kAllowAfterFailed,  // the key of a failed, expired or cancelled job is free; a succeeded job is
                        // returned
    kRejectIfFailed,    // refused after a failed, expired or cancelled one; a succeeded job is
                        // returned
    kRejectAlways,      // refused after any end
};

/// Everything but the type and the input. Durations and times are kept in microseconds.
struct Options {
    std::string queue = "default";  // letters, digits and _ . - : /, at most 128 bytes
    Priority priority = Priority::kNormal;
    std::vector<std::string> tags = {};    // at most 64 of 128 bytes
    std::optional<int> max_attempts = {};  // at least 1; not set: as the host's policy says
    /// Not before: a delay from now by the store's clock, or a time. Not both.
    std::optional<std::chrono::microseconds> delay = {};
    std::optional<std::chrono::system_clock::time_point> run_at = {};
    /// Must have started by then, or it expires: counted from its run_at, or a time. Not both.
    std::optional<std::chrono::microseconds> deadline_after = {};
    std::optional<std::chrono::system_clock::time_point> deadline_at = {};
    std::optional<std::chrono::microseconds> timeout = {};  // of one run; 0 = none
    std::optional<std::string> idempotency_key = {};        // scoped to the type; 1 to 512 bytes
    OnDuplicate on_duplicate = OnDuplicate::kAllowAfterFailed;
    std::optional<std::string> traceparent = {};  // W3C trace context, handed to the job
};

struct NewJob {
    std::string type = {};
    std::string input = "null";  // JSON text; the job gets exactly these bytes
    Options options = {};
};

struct Enqueued {
    std::int64_t id = 0;
    bool duplicate = false;    // nothing was made: `id` is the job that holds the key
    std::string warning = {};  // such as: no live node runs this type; empty: none
};

/// The one exception of this library, besides std::bad_alloc. what() is a sentence.
class Error : public std::runtime_error {
public:
    enum class Kind {
        kRefused,         // the job breaks a rule, or its key is taken: nothing was stored
        kUnavailable,     // locked, full or not reachable: nothing was stored; try again later
        kOutcomeUnknown,  // broke down during the commit: repeat with the same idempotency key
        kUnusable,  // a wrong url, a damaged store, one of a newer version, or used after fork
    };

    Error(Kind kind, const std::string& what, std::size_t index = 0, std::int64_t existing_id = 0)
        : std::runtime_error(what), kind_(kind), index_(index), existing_id_(existing_id) {}

    Kind kind() const noexcept { return kind_; }
    /// kRefused: which of the jobs, from 0.
    std::size_t index() const noexcept { return index_; }
    /// kRefused: the job that holds the idempotency key, when that is the reason; else 0.
    std::int64_t existing_id() const noexcept { return existing_id_; }

private:
    Kind kind_;
    std::size_t index_;
    std::int64_t existing_id_;
};

struct Settings {
    std::string url = {};                           // sqlite:///absolute/path or postgresql://...
    std::string source = "client";                  // shown with each job as who made it
    std::size_t max_input_bytes = 1024 * 1024;      // as the host's limits.max_input_bytes
    std::chrono::milliseconds lock_timeout{15000};  // how long to wait for other writers
    bool synchronous_full = true;                   // false: a power cut may lose the last jobs
    bool create = true;                             // make the store when it is not there
    std::string schema = "jobhost";                 // PostgreSQL: where the tables are
    bool listen = true;  // PostgreSQL: false behind a pooler that lends a server per transaction
};

/// A connection to the store. Thread-safe: calls take turns. Not usable in a child after fork().
class Client {
public:
    /// Opens the store and migrates it forward. Throws Error.
    explicit Client(Settings settings);
    ~Client();
    Client(Client&&) noexcept;
    Client& operator=(Client&&) noexcept;

    /// Durable when it returns; wakes idle hosts. Throws Error.
    Enqueued enqueue(const std::string& type, const std::string& input,
                     const Options& options = {});
    Enqueued enqueue(const NewJob& job);

    /// All or nothing, in one transaction: much faster than one by one. The answers are in the
    /// order of the jobs.
    std::vector<Enqueued> enqueue_all(const std::vector<NewJob>& jobs);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace jobhost::client
