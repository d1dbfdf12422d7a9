#include "host/observe/metrics_text.h"

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace jobhost {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr TimePoint kNow{1'800'000'000s};

TEST(MetricsText, EachCounterHasItsHelpTypeAndValue) {
    Counters counters;
    counters.job_started({}, 3ms);
    counters.job_started({}, 70s);
    counters.cancellation_ignored({}, 10s);

    const std::string text = metrics_text(counters, nullptr);

    EXPECT_THAT(text, HasSubstr("# HELP jobhost_jobs_started_total Runs that began\n"
                                "# TYPE jobhost_jobs_started_total counter\n"
                                "jobhost_jobs_started_total 2\n"));
    EXPECT_THAT(text, HasSubstr("jobhost_jobs_cancellation_ignored_total 1\n"));
    for (std::size_t i = 0; i < kCounts; ++i) {
        const auto count = static_cast<Count>(i);
        EXPECT_THAT(text, HasSubstr("# TYPE " + std::string(metric_name(count)) + " counter\n"));
        EXPECT_FALSE(metric_help(count).empty());
    }
}

TEST(MetricsText, AHistogramIsCumulativeAndInSeconds) {
    Counters counters;
    counters.job_started({}, 1ms);
    counters.job_started({}, 3ms);
    counters.job_started({}, 2h);

    const std::string text = metrics_text(counters, nullptr);

    EXPECT_THAT(text, HasSubstr("jobhost_job_wait_seconds_bucket{le=\"0.001\"} 1\n"
                                "jobhost_job_wait_seconds_bucket{le=\"0.005\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("jobhost_job_wait_seconds_bucket{le=\"3600\"} 2\n"
                                "jobhost_job_wait_seconds_bucket{le=\"+Inf\"} 3\n"
                                "jobhost_job_wait_seconds_sum 7200.004\n"
                                "jobhost_job_wait_seconds_count 3\n"));
}

TEST(MetricsText, WhatRunsIsWhatBeganAndHasNotEnded) {
    Counters counters;
    counters.job_started({}, 0s);
    counters.job_started({}, 0s);
    counters.run_ended({}, 20ms);

    const std::string text = metrics_text(counters, nullptr);

    EXPECT_THAT(text, HasSubstr("jobhost_workers_busy 1\n"));
    EXPECT_THAT(text, HasSubstr("jobhost_job_run_seconds_count 1\n"));
}

TEST(MetricsText, TheStoreIsUpAgainWhenAllAreServedAgain) {
    Counters counters;
    counters.storage_down("heartbeat", "locked");
    counters.storage_down("store thread", "locked");
    counters.storage_up("heartbeat");
    EXPECT_THAT(metrics_text(counters, nullptr), HasSubstr("jobhost_storage_up 0\n"));
    counters.storage_up("store thread");
    EXPECT_THAT(metrics_text(counters, nullptr), HasSubstr("jobhost_storage_up 1\n"));
}

TEST(MetricsText, QueuesAreAddedUpOverTypesAndEscaped) {
    const StoreGauges gauges = {
        .now = kNow,
        .jobs = {{.queue = "a\"\\\n", .type = "x", .waiting = 3, .processing = 1, .failed = 2},
                 {.queue = "a\"\\\n", .type = "y", .waiting = 4}},
        .due = {{.queue = "a\"\\\n", .type = "x", .due = 2, .oldest_run_at = kNow - 90s},
                {.queue = "a\"\\\n", .type = "y", .due = 9'999, .oldest_run_at = kNow - 5s}}};

    const std::string text = metrics_text(Counters(), &gauges);

    EXPECT_THAT(text, HasSubstr(R"(jobhost_queue_waiting{queue="a\"\\\n"} 7)"));
    EXPECT_THAT(text, HasSubstr(R"(jobhost_queue_due{queue="a\"\\\n"} 10000)"));
    EXPECT_THAT(text, HasSubstr(R"(jobhost_queue_oldest_due_seconds{queue="a\"\\\n"} 90)"));
    EXPECT_THAT(text, HasSubstr("jobhost_jobs{state=\"failed\"} 2\n"));
}

TEST(MetricsText, NamesOfQueuesAreBounded) {
    StoreGauges gauges;
    for (std::size_t i = 0; i < kMostQueueLabels + 50; ++i) {
        gauges.jobs.push_back({.queue = "q" + std::to_string(i), .waiting = 1});
    }

    const std::string text = metrics_text(Counters(), &gauges);

    EXPECT_THAT(text, HasSubstr("jobhost_queue_waiting{queue=\"q99\"} 1\n"));
    EXPECT_THAT(text, Not(HasSubstr("queue=\"q100\"")));
    EXPECT_THAT(text, HasSubstr("jobhost_queue_waiting{queue=\"_other\"} 50\n"));
}

TEST(MetricsText, ForwardersAreNamed) {
    Counters counters;
    counters.dead_letter_finished({.kind = DeadLetterKind::kForwarder, .name = "audit"},
                                  DeadLetterState::kSucceeded, "");

    const std::string text = metrics_text(counters, nullptr);

    EXPECT_THAT(text, HasSubstr("jobhost_dead_letter_forwarded_total{forwarder=\"audit\"} 1\n"));
    EXPECT_THAT(text,
                HasSubstr("jobhost_dead_letter_forward_failed_total{forwarder=\"audit\"} 0\n"));
}

std::string grafana_file(const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(JOBHOST_GRAFANA_DIR "/" + name).rdbuf();
    return text.str();
}

/// The names of our metrics that a text of queries uses, histograms without their suffixes.
std::set<std::string> metrics_in(const std::string& text) {
    static const std::regex kName(R"(\bjobhost_[a-z_]+)");
    static const std::regex kSuffix("_(bucket|sum|count)$");
    std::set<std::string> names;
    for (std::sregex_iterator found(text.begin(), text.end(), kName), end; found != end; ++found) {
        names.insert(std::regex_replace(found->str(), kSuffix, ""));
    }
    return names;
}

void expect_all_exist(const std::set<std::string>& names) {
    const StoreGauges gauges;
    const std::string page = metrics_text(Counters(), &gauges);
    for (const std::string& name : names) EXPECT_THAT(page, HasSubstr("# TYPE " + name + ' '));
}

TEST(MetricsText, HasEveryMetricThatTheGrafanaDashboardDraws) {
    const auto dashboard = nlohmann::json::parse(grafana_file("dashboard.json"));
    std::string queries;
    for (const auto& panel : dashboard.at("panels")) {
        for (const auto& target : panel.at("targets")) {
            queries += target.at("expr").get<std::string>() + '\n';
        }
    }
    for (const auto& variable : dashboard.at("templating").at("list")) {
        queries += variable.at("query").get<std::string>() + '\n';
    }

    const auto names = metrics_in(queries);

    EXPECT_GT(names.size(), 20U);
    expect_all_exist(names);
}

TEST(MetricsText, HasEveryMetricThatAnAlertWatches) {
    std::string queries;
    std::istringstream file(grafana_file("alerts.yaml"));
    for (std::string line; std::getline(file, line);) {
        if (line.find(" expr: ") != std::string::npos) queries += line + '\n';
    }

    const auto names = metrics_in(queries);

    EXPECT_GT(names.size(), 10U);
    expect_all_exist(names);
}

}  // namespace
}  // namespace jobhost
