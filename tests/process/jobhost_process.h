#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include "tests/support/postgres_server.h"

namespace jobhost::test {

/// What a finished command left behind.
struct Finished {
    int exit_code = -1;  // 128 + signal when a signal ended it
    std::string out = {};
    std::string err = {};
};

std::string read_file(const std::filesystem::path& file);

/// Looks again and again until `what` is so; false: it was not within `at_most`.
bool eventually(const std::function<bool()>& what,
                std::chrono::milliseconds at_most = std::chrono::seconds(20));

/// A folder of its own for one test, with one store, some services and their hosts. Everything that
/// it started is killed at the end. The store is in PostgreSQL when JOBHOST_TEST_POSTGRES
/// names the folder of a server, else in an SQLite file.
class Site {
public:
    /// `database`: where in the folder an SQLite store is.
    explicit Site(const std::string& database = "jobs.db");
    ~Site();
    Site(const Site&) = delete;
    Site& operator=(const Site&) = delete;

    /// Writes `<service>.yaml` with that service's plugins and everything in `rest`.
    void add_service(const std::string& service, const std::vector<std::string>& plugins,
                     const std::string& rest = "");

    /// Runs a command to its end, as an operator of that service would.
    Finished command(const std::string& service, std::vector<std::string> arguments,
                     const std::string& input = "") const;

    /// The same, for a command that must work: its `--json` document.
    nlohmann::json json(const std::string& service, std::vector<std::string> arguments,
                        const std::string& input = "") const;

    /// Enqueues and answers the id.
    std::string enqueue(const std::string& service, std::vector<std::string> arguments) const;

    /// Starts a host of the service and waits until it says that it works. Answers its pid.
    pid_t start(const std::string& service);

    /// Starts a command that goes on for a while and waits for nothing; `log_of` is what it says.
    /// `environment`: `NAME=value`, besides that of this process. Answers its pid.
    pid_t start_command(const std::string& service, std::vector<std::string> arguments,
                        const std::vector<std::string>& environment = {});

    void signal(pid_t host, int signal) const;

    /// Waits for its end; nullopt: not within `at_most`.
    std::optional<int> wait(pid_t host, std::chrono::milliseconds at_most);
    void kill(pid_t host);

    /// The job's field as text, or what `jobs show` said on failure.
    std::string state(const std::string& service, const std::string& id) const;

    /// Waits until the job is in that state.
    bool reaches(const std::string& service, const std::string& id, const std::string& state,
                 std::chrono::milliseconds at_most = std::chrono::seconds(20)) const;

    std::filesystem::path folder() const { return folder_; }
    std::filesystem::path database() const { return database_; }
    std::filesystem::path ledger() const { return folder_ / "ledger"; }
    std::string log_of(pid_t host) const;
    std::filesystem::path log_file(pid_t host) const;

    /// Lines of the ledger that begin with `word`.
    std::vector<std::string> ledger_lines(const std::string& word) const;

    /// Waits until every dead-letter run of the store has ended.
    bool dead_letters_end(const std::string& service) const;

    /// What the store's database answers, asked past jobhost.
    std::string sql(const std::string& query) const;

    /// Where applications find the store; the schema is empty for an SQLite file.
    std::string url() const;
    std::string schema() const { return schema_ ? schema_->name() : ""; }

    /// Leaves the folder behind, for people.
    void keep() { is_kept_ = true; }

    /// How messages name the store.
    std::string place() const;

    /// `ok`, or what is wrong with the store.
    std::string integrity() const;

    /// While it lives nobody can store an outcome: as a backup tool or a stopped process would.
    std::shared_ptr<void> block_outcomes() const;

private:
    std::filesystem::path folder_;
    std::filesystem::path database_;
    bool is_kept_ = false;
    std::unique_ptr<FreshSchema> schema_;  // with PostgreSQL; else the store is an SQLite file
    std::map<pid_t, std::filesystem::path> hosts_;  // and their logs
    int started_ = 0;
};

}  // namespace jobhost::test
