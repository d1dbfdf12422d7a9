// The executable of the tests that need a process of their own.
#include <cstdio>
#include <string>
#include <unistd.h>
#include <vector>

#include "host/plugin/current_call.h"
#include "host/plugin/plugin_set.h"
#include "tests/unit/plugin/fake_contexts.h"

namespace {

/// Loads the plugin and runs its first type with the input `"exit"`, on an armed host.
int run_job_that_exits(const std::string& file) {
    jobhost::PluginOptions options;
    options.load.push_back({.path = file});
    options.allow_insecure = true;
    options.probe.reset();
    auto plugins = jobhost::load_plugins(options);
    if (!plugins) return 1;
    const jobhost::ExitGuard guard;
    jobhost::FakeRunContext context;
    context.claimed.input = "\"exit\"";
    context.claimed.lease.job = 4711;
    plugins->types().types.at(0).run->run(context);
    return 2;
}

/// As after a run of the host: exit() is nobody's fault.
int leave_in_order() {
    { const jobhost::ExitGuard guard; }
    return 5;
}

}  // namespace

int main(int count, char** arguments) {
    const std::vector<std::string> words(arguments + 1, arguments + count);
    if (words.size() == 2 && words[0] == "exit-in-job") return run_job_that_exits(words[1]);
    if (words.size() == 1 && words[0] == "leave") return leave_in_order();
    if (words.size() >= 2 && words[0] == jobhost::kProbeCommand) {
        ::_exit(jobhost::run_plugin_probe(std::span(words).subspan(1)));
    }
    std::fputs("unknown command\n", stderr);
    return 64;
}
