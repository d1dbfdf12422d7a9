#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <jobhost/detail/instance.hpp>
#include <jobhost/detail/records.hpp>
#include <jobhost/host.hpp>

namespace jobhost {
inline namespace v1 {

class Plugin;

/// The options of one job type. Returned by Plugin::job.
template <class JobT>
class JobTypeBuilder {
public:
    JobTypeBuilder(Plugin& plugin, detail::JobTypeRecord& record)
        : plugin_(&plugin), record_(&record) {}

    JobTypeBuilder& retry(RetryOptions options);
    /// Errors of these types, or of types derived from them, are never retried.
    template <class... Errors>
    JobTypeBuilder& do_not_retry();
    /// The limit of one run; 0 = none, whatever the wider levels say.
    JobTypeBuilder& timeout(std::chrono::microseconds limit);
    template <class Handler>
    JobTypeBuilder& dead_letter() {
        return dead_letter<Handler>(detail::DefaultFactory<Handler>());
    }
    /// `factory` makes the instance of each call: answers a Handler, unique_ptr or shared_ptr.
    template <class Handler, class Factory>
    JobTypeBuilder& dead_letter(Factory factory);

private:
    Plugin* plugin_;
    detail::JobTypeRecord* record_;
};

/// Everything that a plugin offers. Made by JOBHOST_PLUGIN, filled in by its block, which must not
/// do anything else: it also runs where the plugin is only looked at. A mistake in it (an empty or
/// repeated name, a negative time) throws, and the host then refuses the plugin and says why.
class Plugin {
public:
    Plugin(std::string name, std::string version)
        : name_(std::move(name)), version_(std::move(version)) {}
    Plugin(const Plugin&) = delete;
    Plugin& operator=(const Plugin&) = delete;

    /// A job type; its name is unique in the host and stored with every job.
    template <class JobT>
    JobTypeBuilder<JobT> job(std::string name) {
        static_assert(detail::kIsJob<JobT>,
                      "jobhost: a job derives publicly from jobhost::Job<...>");
        return job<JobT>(std::move(name), detail::DefaultFactory<JobT>());
    }
    /// `factory` makes the instance of each run: answers a JobT, unique_ptr or shared_ptr.
    template <class JobT, class Factory>
    JobTypeBuilder<JobT> job(std::string name, Factory factory) {
        static_assert(detail::kIsJob<JobT>,
                      "jobhost: a job derives publicly from jobhost::Job<...>");
        auto& record = add(job_types_, name, "job type");
        record.abi.timeout_us = -1;
        record.body = [factory = std::move(factory)](JobContext& ctx) {
            detail::with_instance<JobT>(factory, [&](JobT& job) { detail::execute(job, ctx); });
        };
        return JobTypeBuilder<JobT>(*this, record);
    }

    template <class ForwarderT>
    void forwarder(std::string name) {
        static_assert(std::is_base_of_v<Forwarder, ForwarderT>,
                      "jobhost: a forwarder derives from jobhost::Forwarder");
        forwarder<ForwarderT>(std::move(name), detail::DefaultFactory<ForwarderT>());
    }
    template <class ForwarderT, class Factory>
    void forwarder(std::string name, Factory factory) {
        static_assert(std::is_base_of_v<Forwarder, ForwarderT>,
                      "jobhost: a forwarder derives from jobhost::Forwarder");
        auto& record = add(forwarders_, name, "forwarder");
        record.with_forwarder =
            [factory = std::move(factory)](const std::function<void(Forwarder&)>& use) {
                detail::with_instance<ForwarderT>(factory, use);
            };
    }

    /// A delay function that YAML and RetryOptions::delay can name.
    void retry_delay(std::string name, RetryDelay function) {
        add(retry_delays_, name, "delay function").body = std::move(function);
    }

    /// Says that the plugin's jobs can throw these, so that YAML may name them in do_not_retry
    /// without a warning. do_not_retry<...>() says it too.
    template <class... Errors>
    void error() {
        (declare_error<Errors>(), ...);
    }

    /// Runs once before any job; throwing makes the host refuse to start.
    void on_start(std::function<void(Host&)> function) { on_start_ = std::move(function); }
    /// Runs once after every job has returned. No thread of the plugin may be left after it.
    void on_stop(std::function<void()> function) { on_stop_ = std::move(function); }

    /// The plugin's `settings:` from YAML; throws std::logic_error before on_start.
    std::string_view settings() const {
        if (slot_.host == nullptr) throw std::logic_error("settings exist from on_start on");
        return detail::view(slot_.host->settings);
    }

    /// For the entry point and the tests: the tables of what was registered. Call once.
    const jobhost_plugin* finish();
    jobhost_status start(const jobhost_host* host) noexcept;
    void stop() noexcept;

private:
    template <class>
    friend class JobTypeBuilder;

    /// Names are unique in the host; the host checks the others' plugins.
    template <class Record>
    Record& add(std::deque<Record>& records, const std::string& name, const char* kind) {
        if (name.empty()) throw std::invalid_argument(std::string(kind) + " without a name");
        for (const Record& other : records) {
            if (other.name == name) {
                throw std::invalid_argument(std::string(kind) + " " + name + " is there twice");
            }
        }
        Record& record = records.emplace_back();
        record.name = name;
        record.slot = &slot_;
        return record;
    }

    template <class E>
    void declare_error() {
        const std::string name = detail::type_name<E>();
        for (const auto& other : error_types_) {
            if (other.name == name) return;
        }
        error_types_.emplace_back();
        error_types_.back().name = name;
        error_types_.back().bases = detail::base_names(typeid(E));
    }

    std::string name_;
    std::string version_;
    detail::HostSlot slot_;
    std::deque<detail::JobTypeRecord> job_types_;
    std::deque<detail::DeadLetterRecord> dead_letters_;
    std::deque<detail::ForwarderRecord> forwarders_;
    std::deque<detail::RetryDelayRecord> retry_delays_;
    std::deque<detail::ErrorTypeRecord> error_types_;
    std::function<void(Host&)> on_start_;
    std::function<void()> on_stop_;

    jobhost_plugin abi_{};
    std::vector<const jobhost_job_type*> job_type_tables_;
    std::vector<const jobhost_dead_letter_handler*> dead_letter_tables_;
    std::vector<const jobhost_forwarder*> forwarder_tables_;
    std::vector<const jobhost_retry_delay*> retry_delay_tables_;
    std::vector<const jobhost_error_type*> error_type_tables_;
};

inline const jobhost_plugin* Plugin::finish() {
    job_type_tables_ = detail::finish_all(job_types_);
    dead_letter_tables_ = detail::finish_all(dead_letters_);
    forwarder_tables_ = detail::finish_all(forwarders_);
    retry_delay_tables_ = detail::finish_all(retry_delays_);
    error_type_tables_ = detail::finish_all(error_types_);
    abi_.struct_size = sizeof abi_;
    abi_.name = detail::str(name_);
    abi_.version = detail::str(version_);
    abi_.job_types = job_type_tables_.data();
    abi_.n_job_types = job_type_tables_.size();
    abi_.dead_letter_handlers = dead_letter_tables_.data();
    abi_.n_dead_letter_handlers = dead_letter_tables_.size();
    abi_.forwarders = forwarder_tables_.data();
    abi_.n_forwarders = forwarder_tables_.size();
    abi_.retry_delays = retry_delay_tables_.data();
    abi_.n_retry_delays = retry_delay_tables_.size();
    abi_.error_types = error_type_tables_.data();
    abi_.n_error_types = error_type_tables_.size();
    return &abi_;
}

inline jobhost_status Plugin::start(const jobhost_host* host) noexcept {
    slot_.host = host;
    return detail::guarded_call(host, [&] {
        Host handle(host);
        if (on_start_) on_start_(handle);
    });
}

inline void Plugin::stop() noexcept {
    detail::guarded_call(slot_.host, [&] {
        if (on_stop_) on_stop_();
    });
    slot_.host = nullptr;
}

template <class JobT>
JobTypeBuilder<JobT>& JobTypeBuilder<JobT>::retry(RetryOptions options) {
    const auto check = [this](bool right, const char* what) {
        if (!right) throw std::invalid_argument(record_->name + ": retry: " + what);
    };
    using Limit = std::chrono::microseconds;
    check(options.max_attempts.value_or(0) >= 0, "max_attempts is negative");
    check(options.initial_delay.value_or(Limit(0)) >= Limit(0), "initial_delay is negative");
    check(options.multiplier.value_or(1.0) > 0.0, "multiplier must be above 0");
    check(options.max_delay.value_or(Limit(0)) >= Limit(0), "max_delay is negative");
    check(options.retry_for.value_or(Limit(0)) >= Limit(0), "retry_for is negative");
    record_->retry = std::move(options);
    return *this;
}

template <class JobT>
template <class... Errors>
JobTypeBuilder<JobT>& JobTypeBuilder<JobT>::do_not_retry() {
    static_assert(sizeof...(Errors) > 0 && ((sizeof(Errors) > 0) && ...),
                  "jobhost: do_not_retry needs error types that are complete here");
    plugin_->template error<Errors...>();
    (record_->do_not_retry.push_back(detail::type_name<Errors>()), ...);
    return *this;
}

template <class JobT>
JobTypeBuilder<JobT>& JobTypeBuilder<JobT>::timeout(std::chrono::microseconds limit) {
    if (limit.count() < 0) throw std::invalid_argument(record_->name + ": timeout is negative");
    record_->abi.timeout_us = limit.count();
    return *this;
}

template <class JobT>
template <class Handler, class Factory>
JobTypeBuilder<JobT>& JobTypeBuilder<JobT>::dead_letter(Factory factory) {
    static_assert(std::is_base_of_v<DeadLetterHandler<JobT>, Handler>,
                  "jobhost: the handler derives from jobhost::DeadLetterHandler<J>, where J is the "
                  "job type that it is registered for");
    for (const auto& other : plugin_->dead_letters_) {
        if (other.job_type == record_->name) {
            throw std::invalid_argument(record_->name + " has two dead-letter handlers");
        }
    }
    detail::DeadLetterRecord& record = plugin_->dead_letters_.emplace_back();
    record.job_type = record_->name;
    record.slot = &plugin_->slot_;
    record.body = [factory = std::move(factory)](const FailedJob& job, const Error& error,
                                                 DeadLetterContext& ctx) {
        detail::with_instance<Handler>(
            factory, [&](DeadLetterHandler<JobT>& handler) { handler.handle(job, error, ctx); });
    };
    return *this;
}

}  // namespace v1
}  // namespace jobhost
