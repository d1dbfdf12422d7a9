#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "host/api/act.h"
#include "host/api/filter_words.h"
#include "storage/job_queries.h"

namespace jobhost::cli {

// What the user typed, as plain data. Words that need checking beyond their form (durations, times,
// ids, states) stay words here: the commands check them.

struct RunCommand {
    bool until_empty = false;
};
struct CheckCommand {
    bool strict = false;  // warnings count as problems
};
struct ExplainCommand {
    std::string type = {};
    std::optional<std::string> queue = {};
    std::optional<std::string> node = {};  // a live one, by id or name; not set: the file
    std::string wait = "10s";              // for the node's answer
};

/// An option of a new job by its JSON name, and its words.
using NamedOptions = std::vector<std::pair<std::string, std::string>>;

struct EnqueueCommand {
    std::string type = {};
    std::optional<std::string> input = {};  // JSON, @FILE or -
    NamedOptions options = {};
    std::vector<std::string> tags = {};
};
struct BulkEnqueueCommand {};

struct JobsListCommand {
    api::FilterWords filter = {};
    int limit = 50;
    std::string after = {};
};
struct JobsShowCommand {
    std::string id = {};
};
struct JobsActCommand {
    api::Act act = api::Act::kRequeue;
    std::vector<std::string> ids = {};
    api::FilterWords filter = {};
    bool dry_run = false;
    bool fresh = false;  // requeue: drop the checkpoint
};
struct WhyCommand {
    std::string id = {};
};

/// `queues` and `types`, which are alike.
struct PausableCommand {
    enum class Act { kList, kPause, kResume };
    Pause::Kind kind = Pause::Kind::kQueue;
    Act act = Act::kList;
    std::string name = {};
    std::string service = {};  // empty: every service
};
struct NodesCommand {};
struct StatsCommand {};
struct DeadLetterListCommand {
    std::string job = {};
    std::string state = {};
    int limit = 50;
    std::string after = {};
};
struct DeadLetterRerunCommand {
    std::string id = {};  // of the run, not of the job
    bool force = false;
};
struct ReloadCommand {
    std::string node = {};     // a live one, by id or name
    std::string service = {};  // both empty: of the configuration's service
    std::string wait = "10s";  // for the nodes' answers
};
struct PurgeCommand {};
struct MigrateCommand {};
struct BenchCommand {
    int jobs = 100'000;
    int samples = 2'000;
    std::string also = {};  // the URL of another store
};
struct VersionCommand {};

using Command =
    std::variant<RunCommand, CheckCommand, ExplainCommand, EnqueueCommand, BulkEnqueueCommand,
                 JobsListCommand, JobsShowCommand, JobsActCommand, WhyCommand, PausableCommand,
                 NodesCommand, StatsCommand, DeadLetterListCommand, DeadLetterRerunCommand,
                 ReloadCommand, PurgeCommand, MigrateCommand, BenchCommand, VersionCommand>;

struct Invocation {
    std::string config_file = {};  // as typed; empty: not given
    bool json = false;
    Command command = {};
};

/// The line asked for help, or makes no sense.
struct NoCommand {
    std::string text = {};  // help, or what is wrong in one sentence
    bool is_help = false;   // to standard output, exit 0; else to standard error, exit 2
    bool json = false;      // --json was there
};

/// `arguments` without the program's name.
std::variant<Invocation, NoCommand> parse_command_line(std::vector<std::string> arguments);

}  // namespace jobhost::cli
