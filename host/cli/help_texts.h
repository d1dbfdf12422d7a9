#pragma once

namespace jobhost::cli {

// What stands below the options in a command's help.

inline constexpr const char* kFooter = R"(
-c and --json may stand before or after the command.
The configuration is the first of: -c FILE, $JOBHOST_CONFIG, ./jobhost.yaml, /etc/jobhost/jobhost.yaml.
Exit status: 0 done, 1 failed, 2 usage or configuration, 3 not found.
`jobhost COMMAND --help` explains a command.)";

inline constexpr const char* kRunFooter = R"(
The first SIGTERM or SIGINT lets running jobs finish for shutdown.grace, a second one skips that.
SIGHUP opens the log file again and reads the configuration again.

--until-empty waits for jobs of nodes that died until they are recovered. It does not wait for a later
run_at, a pause, or what other nodes run.

Exit status: 0 stopped, or empty; 1 the store cannot be used, outcomes could not be stored, or stopped
before it was empty; 2 usage, configuration or plugins; 70 a plugin called exit(). A crash ends it with
its signal (128 + the signal's number in a shell).)";

inline constexpr const char* kEnqueueFooter = R"(
Durations: 500ms 30s 5m 1h 7d, or HH:MM:SS. Times: RFC 3339, such as 2026-02-28T23:59:00Z.

With --bulk each line of standard input is a JSON object: "type" and, optional, "input", "queue",
"priority", "max_attempts" (a number), "delay" or "run_at", "deadline", "timeout", "tags" (an array),
"idempotency_key", "on_duplicate", "traceparent", as above. All lines are stored, or none. The input
is kept as the exact bytes of its value.)";

inline constexpr const char* kReloadFooter = R"(
Each node reads the file that it was started with, as a whole: one with errors changes nothing. What
runs keeps the rules that it was started with; what only a restart can change is named. Status 1: some
node did not reload. SIGHUP to a node does the same.)";

inline constexpr const char* kBenchFooter = R"(
No job and no row of the configured store is touched. For SQLite the measuring is done in a folder beside
the configured file (FILE-bench-...), so on its disk; for PostgreSQL in a schema of its own
(jobhost_bench_...) in the configured database, which the role must be allowed to make. Both are gone at
the end, also after Ctrl-C.

`bare` is what the database engine does with the same rows and nothing else, in the same run; for the
latency, how long it takes to take one row that is known to be there. `ratio` is how much of that is
left: 1 is the limit. The machine should be idle meanwhile.)";

inline constexpr const char* kRerunFooter = R"(
Prints the id of the new run, which a live node with the handler or forwarder takes up within a second;
the old one stays as history.)";

}  // namespace jobhost::cli
