#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "storage/job.h"

namespace jobhost {

enum class LogFormat { kText, kJson };

struct LogOptions {
    LogLevel level = LogLevel::kInfo;  // lines below it are dropped
    LogFormat format = LogFormat::kText;
    std::string file = {};  // absolute path, created with mode 0640; empty: standard error
};

/// Which job a line is about; `job` 0 = none. In a text line these stand in front of the message,
/// in a JSON line they are fields.
struct LogSubject {
    JobId job = 0;
    std::string_view type = {};
    int attempt = 0;  // 0 = not about one attempt
};

/// Where the host's lines go. One line is one write, so several processes may share a file. A
/// target that cannot be written (full disk, closed pipe, a pipe that nobody reads) loses lines,
/// never more. Thread-safe.
class Log {
public:
    /// Throws std::system_error when the file cannot be opened.
    explicit Log(const LogOptions& options);
    ~Log();
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    /// False: a line of this level would be dropped, so there is no need to make it.
    bool enabled(LogLevel level) const;

    /// Control characters of the message are escaped, so a message is always one line.
    void write(LogLevel level, std::string_view message, const LogSubject& about = {});

    /// Another level and format from now on; the file stays.
    void set(const LogOptions& options);

    /// Opens the file again, after somebody moved it away. On failure the old one stays in use, and
    /// a line says so. Nothing to do for standard error.
    void reopen();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace jobhost
