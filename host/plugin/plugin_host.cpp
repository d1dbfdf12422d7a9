#include "host/plugin/plugin_host.h"

#include <mutex>
#include <utility>

#include "host/plugin/abi_values.h"
#include "host/plugin/current_call.h"
#include "host/plugin/enqueue_request.h"
#include "host/plugin/host_calls.h"
#include "host/plugin/plugin_error.h"

namespace jobhost {
namespace {

const PluginHost* host_of(const jobhost_host* api) {
    if (api == nullptr || api->host_data == nullptr) return nullptr;
    return static_cast<const PluginHost*>(api->host_data);
}

void log(const jobhost_host* api, jobhost_level level, jobhost_str message) noexcept {
    never_throws([&] {
        const PluginHost* host = host_of(api);
        if (host != nullptr && is_readable(message)) {
            host->log(log_level(level), shown_line(message));
        }
    });
}

std::int32_t log_enabled(const jobhost_host* api, jobhost_level level) noexcept {
    return never_throws(0, [&] {
        const PluginHost* host = host_of(api);
        return host != nullptr && host->log_enabled(log_level(level)) ? 1 : 0;
    });
}

jobhost_status enqueue(const jobhost_host* api, const jobhost_enqueue* request,
                       jobhost_enqueue_result* result) noexcept {
    return never_throws(JOBHOST_UNAVAILABLE, [&]() -> jobhost_status {
        const PluginHost* host = host_of(api);
        if (host == nullptr) return JOBHOST_INVALID;
        return answer_enqueue(request, result, [&](EnqueueRequest asked) {
            if (asked.on_success) {
                return Asked{.status = AskStatus::kInvalid,
                             .why = "only a running job can enqueue with its success"};
            }
            return host->enqueue(std::move(asked.job));
        });
    });
}

void report_error(const jobhost_host* api, const jobhost_error* error) noexcept {
    never_throws([&] {
        const PluginHost* host = host_of(api);
        if (host == nullptr || error == nullptr) return;
        if (auto* slot = current_call().reported; slot != nullptr) {
            *slot = thrown_error(*error);
        } else {
            host->log(LogLevel::kError, "reported an error: " + one_line(*error));
        }
    });
}

const void* get_extension(const jobhost_host* /*api*/, const char* /*id*/) noexcept {
    return nullptr;
}

}  // namespace

PluginHost::PluginHost(HostFacts facts, HostServices services)
    : facts_(std::move(facts)), services_(std::move(services)) {
    api_.struct_size = sizeof api_;
    api_.abi_major = JOBHOST_ABI_MAJOR;
    api_.abi_minor = JOBHOST_ABI_MINOR;
    api_.host_data = this;
    api_.name = JOBHOST_STR_LIT("jobhost");
    api_.version = borrow(facts_.version);
    api_.node = borrow(facts_.node);
    api_.plugin_path = borrow(facts_.file);
    api_.settings = borrow(facts_.settings.empty() ? std::string_view("{}") : facts_.settings);
    api_.log = jobhost::log;
    api_.log_enabled = jobhost::log_enabled;
    api_.enqueue = jobhost::enqueue;
    api_.report_error = jobhost::report_error;
    api_.get_extension = jobhost::get_extension;
}

void PluginHost::open() {
    const std::unique_lock lock(mutex_);
    is_open_ = true;
}

void PluginHost::close() {
    const std::unique_lock lock(mutex_);
    is_open_ = false;
}

void PluginHost::log(LogLevel level, std::string_view text) const {
    const std::shared_lock lock(mutex_);
    if (is_open_ && services_.log) services_.log(level, facts_.plugin, text);
}

bool PluginHost::log_enabled(LogLevel level) const {
    const std::shared_lock lock(mutex_);
    if (!is_open_ || !services_.log) return false;
    return !services_.log_enabled || services_.log_enabled(level);
}

Asked PluginHost::enqueue(NewJob job) const {
    const std::shared_lock lock(mutex_);
    if (!is_open_ || !services_.enqueue) {
        return {.status = AskStatus::kUnavailable, .why = "the host is stopping"};
    }
    job.source = "plugin:" + facts_.plugin;
    return services_.enqueue(std::move(job));
}

}  // namespace jobhost
