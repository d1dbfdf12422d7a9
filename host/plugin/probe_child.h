#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace jobhost {

/// How a child process ended, and what it wrote.
struct ChildEnd {
    bool timed_out = false;   // it was killed after the limit
    int signal = 0;           // that ended it; 0: it exited
    int exit_code = 0;        // when it exited
    std::string out = {};     // its standard output, at most 1 MiB
    std::string errors = {};  // its standard error, at most 64 KiB
};

/// Runs a program with standard input from /dev/null, in a process group of its own, and waits for
/// its end, at most `limit`; then it and what it left in its group is killed. No other
/// descriptor is handed on. Throws std::system_error when it cannot be started.
ChildEnd run_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                   std::chrono::milliseconds limit);

}  // namespace jobhost
