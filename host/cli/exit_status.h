#pragma once

#include <stdexcept>
#include <string>

namespace jobhost::cli {

enum ExitStatus : int {
    kDone = 0,
    kFailed = 1,
    kUsage = 2,  // usage or configuration
    kNotFound = 3,
};

/// A command cannot go on. Thrown by commands, caught in main, which prints the sentences to
/// standard error, each as a line.
class CommandError : public std::runtime_error {
public:
    CommandError(ExitStatus status, const std::string& sentences)
        : std::runtime_error(sentences), status_(status) {}
    ExitStatus status() const { return status_; }

private:
    ExitStatus status_;
};

}  // namespace jobhost::cli
