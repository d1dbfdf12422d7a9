#include <fcntl.h>
#include <signal.h>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

#include "host/bench/bench_types.h"
#include "host/bench/node_process.h"
#include "host/cli/commands.h"
#include "host/plugin/try_plugins.h"

namespace {

/// A closed standard descriptor would go to the next file that is opened: messages would end up in
/// the database.
void open_standard_descriptors() {
    while (true) {
        const int fd = ::open("/dev/null", O_RDWR);
        if (fd > STDERR_FILENO) ::close(fd);
        if (fd < 0 || fd > STDERR_FILENO) return;
    }
}

}  // namespace

int main(int argc, char** argv) {
    open_standard_descriptors();
    std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    if (!arguments.empty() && arguments.front() == jobhost::kProbeCommand) {
        ::_exit(jobhost::run_plugin_probe(std::span(arguments).subspan(1)));
    }
    ::signal(SIGPIPE, SIG_IGN);  // a reader that has gone away is no reason to die,
    ::signal(SIGXFSZ, SIG_IGN);  // nor is a file that may not grow: the write says so
    if (arguments.size() == 1 && arguments.front() == jobhost::bench::kNodeCommand) {
        return jobhost::bench::run_node(jobhost::bench::standard_types);
    }
    return jobhost::cli::run_command_line(std::move(arguments));
}
