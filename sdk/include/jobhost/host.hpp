#pragma once

#include <string_view>

#include <jobhost/context.hpp>

namespace jobhost {
inline namespace v1 {

/// The host outside of a run. Any thread, from on_start until on_stop returned. Cheap to copy.
class Host {
public:
    explicit Host(const jobhost_host* host) : host_(host) {}

    /// The plugin's `settings:` from YAML as a JSON object.
    std::string_view settings() const { return detail::view(host_->settings); }
    /// Throws PayloadError when they are not a T. Needs <jobhost/json.hpp>.
    template <class T>
    T settings() const {
        return InputCodec<T>::read(settings());
    }

    std::string_view version() const { return detail::view(host_->version); }
    /// The node's name, for people.
    std::string_view node() const { return detail::view(host_->node); }
    /// The file that the operator named.
    std::string_view plugin_path() const { return detail::view(host_->plugin_path); }

    void log(LogLevel level, std::string_view message) const {
        host_->log(host_, static_cast<jobhost_level>(level), detail::str(message));
    }
    void log(std::string_view message) const { log(LogLevel::kInfo, message); }
    bool log_enabled(LogLevel level) const {
        return host_->log_enabled(host_, static_cast<jobhost_level>(level)) != 0;
    }

    /// Stored when it returns. Throws HostError when it is refused or the store is away.
    EnqueueResult enqueue(const Enqueue& job) const {
        return detail::enqueue_through(
            job, 0, [this](const jobhost_enqueue* options, jobhost_enqueue_result* result) {
                return host_->enqueue(host_, options, result);
            });
    }

    const jobhost_host* abi() const { return host_; }

private:
    const jobhost_host* host_;
};

}  // namespace v1
}  // namespace jobhost
