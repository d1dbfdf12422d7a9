#include "host/plugin/plugin_delay.h"

#include <algorithm>
#include <optional>
#include <string>

#include "host/plugin/current_call.h"
#include "host/plugin/job_view.h"
#include "host/plugin/plugin_call.h"

namespace jobhost {
namespace {

constexpr std::int64_t kLongestUs = std::int64_t{100} * 366 * 24 * 3600 * 1'000'000;
const JobError kNoError = {.type = "jobhost::UnknownError"};

class PluginDelay final : public DelayFunction {
public:
    PluginDelay(const PluginLibrary& plugin, const Described<jobhost_retry_delay>& delay)
        : plugin_(plugin), delay_(delay) {}

    DelayAnswer delay(const DelayQuestion& question) noexcept override {
        const jobhost_job job = job_outline(question.job, question.type, question.queue,
                                            question.attempts_made, question.max_attempts);
        const ErrorView error(question.error != nullptr ? question.error->error : kNoError);
        const jobhost_retry_info info = {.struct_size = sizeof info,
                                         .attempts_made = question.attempts_made,
                                         .max_attempts = question.max_attempts,
                                         .reserved0 = 0,
                                         .job = &job,
                                         .error = error.get(),
                                         .policy_delay_us = question.default_delay.count(),
                                         .random = question.random};
        const std::string type(question.type);
        std::optional<ThrownError> reported;
        bool escaped = false;
        std::int64_t answer = -1;
        {
            const CallScope scope({.plugin = plugin_.label.c_str(),
                                   .function = "delay_us",
                                   .job = question.job,
                                   .type = type.c_str(),
                                   .reported = &reported});
            answer = call_with_net(
                [&] { return delay_.fields.delay_us(plugin_.self, delay_.table, &info); },
                std::int64_t{-1}, escaped);
        }
        if (answer >= 0) return Duration(std::min(answer, kLongestUs));
        if (answer == JOBHOST_DELAY_AS_POLICY) return PolicyDelay{};
        return BadDelay{what_went_wrong(answer, reported, escaped)};
    }

private:
    static std::string what_went_wrong(std::int64_t answer,
                                       const std::optional<ThrownError>& reported, bool escaped) {
        if (escaped) return "an exception left it, which breaks the rules of the plugin ABI";
        if (reported) return reported->error.type + ": " + reported->error.message;
        return "it answered " + std::to_string(answer) + " us";
    }

    const PluginLibrary& plugin_;
    const Described<jobhost_retry_delay>& delay_;
};

}  // namespace

std::unique_ptr<DelayFunction> make_delay_function(const PluginLibrary& plugin,
                                                   const Described<jobhost_retry_delay>& delay) {
    return std::make_unique<PluginDelay>(plugin, delay);
}

}  // namespace jobhost
