#include "host/plugin/plugin_job_type.h"

#include <utility>

#include "host/plugin/current_call.h"
#include "host/plugin/host_run.h"
#include "host/plugin/job_view.h"
#include "host/plugin/plugin_call.h"

namespace jobhost {
namespace {

class PluginJobType final : public JobType {
public:
    PluginJobType(const PluginLibrary& plugin, const DescribedType& type)
        : plugin_(plugin), type_(type) {}

    RunResult run(RunContext& context) noexcept override {
        const ClaimedJob& job = context.job();
        const RunningJobView view(job, context.type(), context.queue());
        HostRun run(context);
        bool escaped = false;
        jobhost_status status = JOBHOST_ERROR;
        {
            const CallScope scope({.plugin = plugin_.label.c_str(),
                                   .function = "run",
                                   .job = job.lease.job,
                                   .type = type_.name.c_str()});
            status = call_with_net(
                [&] { return type_.fields.run(plugin_.self, type_.table, view.get(), &run); },
                jobhost_status{JOBHOST_ERROR}, escaped);
        }
        if (status == JOBHOST_OK) return Returned{};
        return failure(context, run, status, escaped);
    }

private:
    /// Off the hot path: everything but plain success.
    RunResult failure(RunContext& context, HostRun& run, jobhost_status status, bool escaped) {
        const std::string function = "run of " + type_.name;
        switch (status) {
            case JOBHOST_SNOOZE: return AskedToSnooze{run.snooze().value_or(Duration::zero())};
            case JOBHOST_CANCELLED:
                if (context.stop_cause() != StopCause::kNone) return LeftEarly{};
                return Threw{contract_error(function + " answered that it was cancelled, but "
                                                       "nobody had asked it to stop")};
            case JOBHOST_DEAD_LETTER: {
                ThrownError why = error_of_call(run, function, status, escaped);
                std::string reason = why.error.message;
                return AskedForDeadLetter{std::move(reason), std::move(why)};
            }
            case JOBHOST_DISCARD:
                return AskedToDiscard{error_of_call(run, function, status, escaped).error.message};
            default:  // JOBHOST_ERROR, and what a newer minor may add
                return Threw{error_of_call(run, function, status, escaped)};
        }
    }

    const PluginLibrary& plugin_;
    const DescribedType& type_;
};

}  // namespace

std::unique_ptr<JobType> make_job_type(const PluginLibrary& plugin, const DescribedType& type) {
    return std::make_unique<PluginJobType>(plugin, type);
}

}  // namespace jobhost
