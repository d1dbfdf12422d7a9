#include "host/plugin/plugin_dead_letter.h"

#include <optional>
#include <string>
#include <variant>

#include "host/plugin/current_call.h"
#include "host/plugin/host_run.h"
#include "host/plugin/job_view.h"
#include "host/plugin/plugin_call.h"
#include "host/plugin/plugin_host.h"

namespace jobhost {
namespace {

CurrentCall call_about(const PluginLibrary& plugin, const char* function, const Job& job) {
    return {.plugin = plugin.label.c_str(),
            .function = function,
            .job = job.id,
            .type = job.type.c_str()};
}

class PluginHandler final : public DeadLetterHandler {
public:
    PluginHandler(const PluginLibrary& plugin,
                  const Described<jobhost_dead_letter_handler>& handler)
        : plugin_(plugin), handler_(handler) {}

    std::optional<ThrownError> handle(const Job& job, PluginContext& context) noexcept override {
        const FailedJobView view(job);
        HostRun run(context, job);
        bool escaped = false;
        jobhost_status status = JOBHOST_ERROR;
        {
            const CallScope scope(call_about(plugin_, "handle", job));
            status = call_with_net(
                [&] {
                    return handler_.fields.handle(plugin_.self, handler_.table, view.get(), &run);
                },
                jobhost_status{JOBHOST_ERROR}, escaped);
        }
        if (status == JOBHOST_OK) return std::nullopt;
        return error_of_call(run, "the dead-letter handler of " + handler_.name, status, escaped);
    }

private:
    const PluginLibrary& plugin_;
    const Described<jobhost_dead_letter_handler>& handler_;
};

class PluginForwarder final : public Forwarder {
public:
    PluginForwarder(const PluginLibrary& plugin, const Described<jobhost_forwarder>& forwarder,
                    const PluginHost& host)
        : plugin_(plugin), forwarder_(forwarder), host_(host) {}

    std::variant<bool, ThrownError> applies_to(const Job& job) noexcept override {
        const FailedJobView view(job);
        HostRun run(host_);
        bool escaped = false;
        std::int32_t answer = -1;
        {
            const CallScope scope(call_about(plugin_, "applies_to", job));
            answer = call_with_net(
                [&] {
                    return forwarder_.fields.applies_to(plugin_.self, forwarder_.table, view.get(),
                                                        &run);
                },
                std::int32_t{-1}, escaped);
        }
        if (answer >= 0) return answer != 0;
        return error_of_call(run, "applies_to of forwarder " + forwarder_.name, answer, escaped);
    }

    std::optional<ThrownError> forward(const Job& job, PluginContext& context) noexcept override {
        const FailedJobView view(job);
        HostRun run(context, job);
        bool escaped = false;
        jobhost_status status = JOBHOST_ERROR;
        {
            const CallScope scope(call_about(plugin_, "forward", job));
            status = call_with_net(
                [&] {
                    return forwarder_.fields.forward(plugin_.self, forwarder_.table, view.get(),
                                                     &run);
                },
                jobhost_status{JOBHOST_ERROR}, escaped);
        }
        if (status == JOBHOST_OK) return std::nullopt;
        return error_of_call(run, "forward of forwarder " + forwarder_.name, status, escaped);
    }

private:
    const PluginLibrary& plugin_;
    const Described<jobhost_forwarder>& forwarder_;
    const PluginHost& host_;
};

}  // namespace

std::unique_ptr<DeadLetterHandler> make_dead_letter_handler(
    const PluginLibrary& plugin, const Described<jobhost_dead_letter_handler>& handler) {
    return std::make_unique<PluginHandler>(plugin, handler);
}

std::unique_ptr<Forwarder> make_forwarder(const PluginLibrary& plugin,
                                          const Described<jobhost_forwarder>& forwarder,
                                          const PluginHost& host) {
    return std::make_unique<PluginForwarder>(plugin, forwarder, host);
}

}  // namespace jobhost
