#include "config/policy_reader.h"

#include <array>

#include "config/duration.h"
#include "config/names.h"
#include "config/retry_check.h"
#include "config/value_parsers.h"

namespace jobhost::config {
namespace {

constexpr int kMostAttempts = 1'000'000;
constexpr Duration kLongerThanZero{1};

/// `delay` names a function. A duration is a mistake that the rule for names would let pass.
Parsed<std::string> parse_delay_name(const Scalar& scalar) {
    if (parse_duration(scalar.text)) {
        return tl::unexpected<std::string>(
            "must be the name of a delay function, or default; a delay of your own goes into "
            "initial_delay" +
            shown_as(scalar));
    }
    return name()(scalar);
}

void read_values(MapReader& map, RetryValues& into) {
    into.where = map.where();
    map.read("max_attempts", into.max_attempts, whole_number(0, kMostAttempts));
    map.read("initial_delay", into.initial_delay, duration(Duration::zero()));
    map.read("multiplier", into.multiplier, factor(1));
    map.read("max_delay", into.max_delay, duration(Duration::zero()));
    map.read("delay", into.delay, parse_delay_name);
    map.read("retry_for", into.retry_for, duration(kLongerThanZero));
}

void report(MapReader& map, const std::vector<RetryProblem>& problems) {
    for (const RetryProblem& problem : problems) {
        if (problem.level == 0) map.error(problem.key, problem.message);
    }
}

/// What the file alone can prove. Between a job type's level and the queue's stands the plugin's,
/// and any type may be in any queue: so only an entry of `on` and the job type that it stands in
/// are sure to be neighbours.
void check_entry(MapReader& map, const RetryValues& entry, const RetryValues& own,
                 PolicyLevel kind) {
    const std::array<const RetryValues*, 2> levels{&entry, &own};
    const std::size_t known = kind == PolicyLevel::kJobType ? 2 : 1;
    report(map, check_merged_retry(std::span(levels).first(known), Levels::kNarrowest));
}

void read_retry(MapReader& map, RetryPolicy& into, PolicyLevel kind) {
    read_values(map, into.values);
    const std::array<const RetryValues*, 1> own{&into.values};
    report(map, check_merged_retry(own, Levels::kNarrowest));

    map.read("retry_payload_errors", into.retry_payload_errors, boolean());
    if (kind == PolicyLevel::kQueue) {
        map.refuse("do_not_retry", "belongs into the top-level retry or into jobs.<type>.retry");
    } else {
        map.read_list("do_not_retry", into.do_not_retry, error_name());
    }
    map.each_in_map("on", "<error>", [&](const std::string& error, MapReader& entry) {
        if (auto problem = error_name_problem(error)) entry.error(*problem);
        ErrorRetry on{.error = error};
        read_values(entry, on.values);
        for (const char* key : {"do_not_retry", "on", "retry_payload_errors"}) {
            entry.refuse(key, "has no place in an entry of on");
        }
        check_entry(entry, on.values, into.values, kind);
        into.on.push_back(std::move(on));
    });
}

}  // namespace

void read_policy(MapReader& level, Policy& into, PolicyLevel kind) {
    level.section("retry", [&](MapReader& map) { read_retry(map, into.retry, kind); });
    level.read("timeout", into.timeout, duration(Duration::zero()));
    if (level.has("timeout")) into.timeout_where = level.where("timeout");
}

std::vector<std::pair<std::string_view, DeadLetterDelivery>> delivery_words() {
    return {{"at_most_once", DeadLetterDelivery::kAtMostOnce},
            {"at_least_once", DeadLetterDelivery::kAtLeastOnce}};
}

void read_queues(MapReader& root, std::vector<QueueConfig>& into) {
    std::vector<QueueConfig> queues;
    std::map<std::string, std::string, std::less<>> first_place;
    const auto count = root.each_in_list("queues", [&](MapReader& map) {
        QueueConfig queue{.name = "", .where = map.where()};
        map.require("name");
        map.read("name", queue.name, name());
        map.read("workers", queue.workers, whole_number(1, kMostWorkers));
        read_policy(map, queue.policy, PolicyLevel::kQueue);
        const auto [first, is_new] = first_place.try_emplace(queue.name, queue.where);
        if (!queue.name.empty() && !is_new) {
            map.error("name", "the queue is already defined at " + first->second);
        }
        queues.push_back(std::move(queue));
    });
    if (!count) return;
    if (*count == 0) {
        root.error("queues",
                   "must list at least one queue; without the key there is one named "
                   "default");
    }
    into = std::move(queues);
}

void read_jobs(MapReader& root, std::map<std::string, JobTypeConfig, std::less<>>& into) {
    root.each_in_map("jobs", "<type>", [&](const std::string& type, MapReader& map) {
        if (auto problem = name_problem(type)) map.error("the job type " + *problem);
        JobTypeConfig job{.where = map.where()};
        read_policy(map, job.policy, PolicyLevel::kJobType);
        map.section("dead_letter", [&](MapReader& dead_letter) {
            dead_letter.read("delivery", job.dead_letter_delivery, choice(delivery_words()));
        });
        into.emplace(type, std::move(job));
    });
}

}  // namespace jobhost::config
