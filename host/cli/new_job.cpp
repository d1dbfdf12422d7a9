#include "host/cli/new_job.h"

#include <algorithm>

#include "host/api/new_job_options.h"

namespace jobhost::cli {

std::string flag_of(std::string name) {
    std::ranges::replace(name, '_', '-');
    return "--" + name;
}

tl::expected<NewJob, std::string> new_job(const EnqueueCommand& command) {
    NewJob job{.type = command.type, .tags = command.tags, .source = "cli"};
    for (const auto& [name, words] : command.options) {
        if (const auto mistake = api::set_option(job, name, words)) {
            return tl::unexpected(flag_of(name) + mistake->substr(name.size()));
        }
    }
    if (job.delay && job.run_at) {
        return tl::unexpected(std::string("--delay and --run-at exclude each other"));
    }
    return job;
}

}  // namespace jobhost::cli
