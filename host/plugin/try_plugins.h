#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace jobhost {

// A library runs code as soon as it is mapped. So each one is mapped and described in a child
// process first: one that crashes, exits, throws in a static initialiser or hangs is reported with
// its name, and costs nothing but that child.

/// The hidden subcommand of the host's executable: `jobhost plugin-probe FILE...`.
inline constexpr const char* kProbeCommand = "plugin-probe";

struct ProbeOptions {
    /// What to run as the child: a program that hands `plugin-probe FILE...` to run_plugin_probe.
    std::filesystem::path executable = "/proc/self/exe";
    std::chrono::milliseconds limit = std::chrono::seconds(10);  // for each library
};

/// What the child found out about one library.
struct ProbedPlugin {
    std::filesystem::path file = {};
    std::string name = {};
    std::string version = {};
    std::vector<std::string> types = {};
    std::vector<std::string> errors = {};  // each one sentence with the file; empty: it can be used
};

/// Tries the libraries one after another, each in its own child. Absolute paths, inspected and
/// trusted before. In the order of `files`. Throws std::system_error when no child can be started.
std::vector<ProbedPlugin> try_plugins(std::span<const std::filesystem::path> files,
                                      const ProbeOptions& options);

/// The child's side: maps and describes each file and writes what it found to standard output, one
/// JSON object a line. What the libraries themselves write there goes to standard error. Returns
/// the process's exit status; leave by _exit with it, because the libraries' exit handlers are no
/// part of the test.
int run_plugin_probe(std::span<const std::string> files);

}  // namespace jobhost
