#pragma once

#include <string>

#include "host/cli/command_line.h"
#include "host/cli/output.h"

namespace jobhost::cli {

/// What every command gets.
struct Context {
    Output& out;
    std::string config_file = {};  // as typed
    bool json = false;
};

// One function for each command. They answer the exit status; results go to `out`, everything else
// to standard error. Throw CommandError and StorageError when they cannot go on.

int run_command(const RunCommand& command, Context& context);
int run_command(const CheckCommand& command, Context& context);
int run_command(const ExplainCommand& command, Context& context);
int run_command(const EnqueueCommand& command, Context& context);
int run_command(const BulkEnqueueCommand& command, Context& context);
int run_command(const JobsListCommand& command, Context& context);
int run_command(const JobsShowCommand& command, Context& context);
int run_command(const JobsActCommand& command, Context& context);
int run_command(const WhyCommand& command, Context& context);
int run_command(const PausableCommand& command, Context& context);
int run_command(const NodesCommand& command, Context& context);
int run_command(const StatsCommand& command, Context& context);
int run_command(const DeadLetterListCommand& command, Context& context);
int run_command(const DeadLetterRerunCommand& command, Context& context);
int run_command(const ReloadCommand& command, Context& context);
int run_command(const PurgeCommand& command, Context& context);
int run_command(const MigrateCommand& command, Context& context);
int run_command(const BenchCommand& command, Context& context);
int run_command(const VersionCommand& command, Context& context);

/// Parses, runs and answers the exit status; catches everything and says it.
int run_command_line(std::vector<std::string> arguments);

}  // namespace jobhost::cli
