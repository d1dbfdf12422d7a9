#pragma once

#include <memory>
#include <optional>
#include <string>

#include "config/config.h"
#include "host/engine/engine.h"

namespace jobhost {

struct AppOptions {
    config::Config config = {};
    std::string config_file = {};  // for the log
    std::string version = {};      // the host's
    bool until_empty = false;      // end when there is nothing left to do now
};

/// How a host ended.
struct AppEnd {
    int status = 0;                         // the process's exit status
    std::optional<Leftover> leftover = {};  // `until_empty`, and it became so
    /// Some jobs still hold their threads: leave by _exit, since nothing can stop them.
    bool must_exit_at_once = false;
};

/// A working host, from its start to its end: the one place with concrete types. Obeys signals,
/// which block_signals() must have blocked. Call `run` once, on the main thread.
class App {
public:
    /// Throws std::system_error when the log file cannot be opened.
    explicit App(AppOptions options);
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    /// Problems are said in the log, and on standard error when the log is a file.
    AppEnd run();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace jobhost
