#include "plugins/reliability/dead_letter.h"

#include <cerrno>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>

#include <jobhost/json.hpp>

namespace reliability {
namespace {

struct DeadLetterSettings {
    std::string dead_letter_file = {};
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DeadLetterSettings, dead_letter_file)

/// One write(), so that lines of several processes never mix.
void append(const std::string& path, const std::string& line) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) throw std::system_error(errno, std::generic_category(), path);
    const ssize_t written = ::write(file, line.data(), line.size());
    const int error = errno;
    ::close(file);
    if (written < 0) throw std::system_error(error, std::generic_category(), path);
    if (written != static_cast<ssize_t>(line.size())) {
        throw std::runtime_error(path + ": the line was written only in part");
    }
}

}  // namespace

void AlwaysFails::execute(jobhost::JobContext&) {
    throw std::runtime_error("failing by design");
}

void AppendsLine::handle(const jobhost::FailedJob& job, const jobhost::Error& error,
                         jobhost::DeadLetterContext& ctx) {
    const std::string text = "job " + std::to_string(job.id()) + " (" + std::string(job.type()) +
                             ") failed after " + std::to_string(job.attempts()) + " attempts, " +
                             std::string(job.reason()) + ": " + std::string(error.type()) + ": " +
                             std::string(error.message());
    ctx.log(text);
    const auto settings = ctx.settings<DeadLetterSettings>();
    if (!settings.dead_letter_file.empty()) append(settings.dead_letter_file, text + "\n");
}

}  // namespace reliability
