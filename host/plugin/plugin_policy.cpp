#include "host/plugin/plugin_policy.h"

#include <cmath>
#include <optional>

#include "host/engine/error_names.h"
#include "host/plugin/abi_values.h"
#include "storage/enqueue_rules.h"

namespace jobhost {
namespace {

constexpr std::int64_t kNotSet = -1;
constexpr std::size_t kMostNames = 1000;
constexpr std::int64_t kLongestDelayUs = std::int64_t{100} * 366 * 24 * 3600 * 1'000'000;

class PolicyReader {
public:
    explicit PolicyReader(std::vector<std::string>& mistakes) : mistakes_(mistakes) {}

    std::optional<Duration> duration(const char* field, std::int64_t us) {
        if (us == kNotSet) return std::nullopt;
        if (us < 0 || us > kLongestDelayUs) {
            mistake(field, std::to_string(us) + " us", "0 us to 100 years, or -1 for not set");
            return std::nullopt;
        }
        return Duration(us);
    }

    std::optional<int> attempts(std::int32_t count) {
        if (count == kNotSet) return std::nullopt;
        if (count < 0 || count > kMaxAttemptsLimit) {
            mistake("retry.max_attempts", std::to_string(count),
                    "0 to " + std::to_string(kMaxAttemptsLimit) + ", or -1 for not set");
            return std::nullopt;
        }
        return count;
    }

    std::optional<double> multiplier(double factor) {
        if (factor == 0.0) return std::nullopt;
        if (!std::isfinite(factor) || factor < 1.0) {
            mistake("retry.multiplier", std::to_string(factor), "at least 1, or 0 for not set");
            return std::nullopt;
        }
        return factor;
    }

    std::optional<std::string> function(jobhost_str name) {
        if (!is_readable(name)) {
            mistakes_.emplace_back("retry.delay is NULL but has a length");
            return std::nullopt;
        }
        if (name.len == 0) return std::nullopt;
        if (const auto reason = check_name(view_of(name))) {
            mistakes_.push_back("retry.delay names a delay function whose name " + *reason);
            return std::nullopt;
        }
        return text_of(name);
    }

    RetryLevel retry(const jobhost_retry_policy* theirs) {
        if (theirs == nullptr) return {};
        if (!has_first_size(*theirs)) {
            mistakes_.push_back("retry has struct_size " + std::to_string(theirs->struct_size) +
                                "; it must be at least " +
                                std::to_string(kFirstSize<jobhost_retry_policy>));
            return {};
        }
        const jobhost_retry_policy policy = read_struct(*theirs);
        return RetryLevel{.max_attempts = attempts(policy.max_attempts),
                          .initial_delay = duration("retry.initial_delay", policy.initial_delay_us),
                          .multiplier = multiplier(policy.multiplier),
                          .max_delay = duration("retry.max_delay", policy.max_delay_us),
                          .delay = function(policy.delay),
                          .retry_for = duration("retry.retry_for", policy.retry_for_us)};
    }

    std::vector<std::string> names(const jobhost_str* names, std::size_t count) {
        std::vector<std::string> out;
        if (count == 0) return out;
        if (names == nullptr || count > kMostNames) {
            mistakes_.push_back("do_not_retry has " + std::to_string(count) + " names " +
                                (names == nullptr ? "at NULL" : "; the limit is 1000"));
            return out;
        }
        for (std::size_t i = 0; i < count; ++i) {
            std::string name =
                is_readable(names[i]) ? normalised_type_name(view_of(names[i])) : std::string();
            if (name.empty()) {
                mistakes_.push_back("do_not_retry[" + std::to_string(i) + "] is empty");
            } else {
                out.push_back(std::move(name));
            }
        }
        return out;
    }

private:
    void mistake(const char* field, const std::string& value, const std::string& allowed) {
        mistakes_.push_back(std::string(field) + " is " + value + "; it must be " + allowed);
    }

    std::vector<std::string>& mistakes_;
};

}  // namespace

PolicyLevel plugin_policy(const jobhost_job_type& type, std::string origin,
                          std::vector<std::string>& mistakes) {
    PolicyReader read(mistakes);
    PolicyLevel level;
    level.origin = std::move(origin);
    level.retry = read.retry(type.retry);
    level.do_not_retry = read.names(type.do_not_retry, type.n_do_not_retry);
    level.timeout = read.duration("timeout", type.timeout_us);
    return level;
}

}  // namespace jobhost
