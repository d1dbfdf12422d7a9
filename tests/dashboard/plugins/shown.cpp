// The plugin of the dashboard's tests: jobs whose errors, log, progress and checkpoint are what
// their input says, and a fault that lasts as long as a file exists, so that a test can repair it.
#include <chrono>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include <jobhost/json.hpp>
#include <jobhost/sdk.hpp>

namespace shown {

struct Settings {
    std::string broken;  // the file
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Settings, broken)

struct Work {
    std::string fault;  // "", "timeout" or "key": while the file exists; "always"
    std::string message;
    std::string log;
    std::string progress;
    std::string checkpoint;
    int ms = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Work, fault, message, log, progress, checkpoint, ms)

struct GatewayTimeout : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct InvalidKey : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

struct Shown : jobhost::Job<Work> {
    void execute(const Work& work, jobhost::JobContext& context) override {
        // Bytes that are no UTF-8 come from plugins, never from an input.
        if (!work.log.empty()) context.log(work.log + " \xff\xfe");
        if (!work.checkpoint.empty()) context.save_checkpoint(work.checkpoint);
        if (!work.progress.empty()) context.progress(40, work.progress);
        if (work.ms > 0) context.sleep_for(std::chrono::milliseconds(work.ms));
        const bool broken = ::access(context.settings<Settings>().broken.c_str(), F_OK) == 0;
        if (work.fault == "always") throw std::runtime_error(work.message + " \xff\xfe");
        if (work.fault == "timeout" && broken) throw GatewayTimeout(work.message);
        if (work.fault == "key" && broken) throw InvalidKey(work.message);
    }
};

struct DeadLetter : jobhost::DeadLetterHandler<Shown> {
    void handle(const jobhost::FailedJob&, const jobhost::Error& error,
                jobhost::DeadLetterContext&) override {
        if (error.type() == "std::runtime_error")
            throw std::runtime_error(std::string(error.message()));
    }
};

}  // namespace shown

JOBHOST_PLUGIN("shown", "1.0.0", plugin) {
    plugin.job<shown::Shown>("shown.work")
        .do_not_retry<shown::InvalidKey>()
        .dead_letter<shown::DeadLetter>();
}
