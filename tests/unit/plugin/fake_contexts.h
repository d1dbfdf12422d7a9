#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/engine/run_context.h"

namespace jobhost {

/// A dead-letter context that remembers what it was asked.
class FakePluginContext : public PluginContext {
public:
    void log(LogLevel level, std::string_view text) override {
        lines.push_back(std::string(to_string(level)) + " " + std::string(text));
    }
    Asked enqueue(NewJob job) override {
        enqueued.push_back(std::move(job));
        return answer;
    }
    StopCause stop_cause() override { return cause; }
    StopCause wait(Duration at_most) override {
        waited = at_most;
        return cause;
    }

    std::vector<std::string> lines = {};
    std::vector<NewJob> enqueued = {};
    std::optional<Duration> waited = {};
    Asked answer = {};
    StopCause cause = StopCause::kNone;
};

/// A run that remembers what it was asked.
class FakeRunContext final : public RunContext {
public:
    const ClaimedJob& job() const override { return claimed; }
    const std::string& type() const override { return type_name; }
    const std::string& queue() const override { return queue_name; }
    void log(LogLevel level, std::string_view text) override { fake.log(level, text); }
    Asked enqueue(NewJob job) override { return fake.enqueue(std::move(job)); }
    StopCause stop_cause() override { return fake.stop_cause(); }
    StopCause wait(Duration at_most) override { return fake.wait(at_most); }
    void progress(int percent, std::string_view text) override {
        progress_said = std::to_string(percent) + " " + std::string(text);
    }
    Asked save_checkpoint(std::string_view json) override {
        checkpoint = json;
        return fake.answer;
    }
    Asked enqueue_on_success(NewJob job) override {
        on_success.push_back(std::move(job));
        return fake.answer;
    }
    bool complete() override { return can_complete; }

    ClaimedJob claimed = {};
    std::string type_name = "test.type";
    std::string queue_name = "default";
    FakePluginContext fake = {};
    std::vector<NewJob> on_success = {};
    std::string progress_said = {};
    std::string checkpoint = {};
    bool can_complete = true;
};

}  // namespace jobhost
