#include "tests/bench/suite_types.h"

#include <charconv>
#include <thread>
#include <unistd.h>

namespace jobhost::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kSpinUpTo = 50;  // microseconds; the kernel's timers are no finer

std::int64_t number_in(const std::string& text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

Threw as_told() {
    return Threw{host_error("bench::Down", "as told")};
}

class Work final : public JobType {
public:
    RunResult run(RunContext& context) noexcept override {
        const std::int64_t us = number_in(context.job().input);
        if (us > kSpinUpTo) {
            std::this_thread::sleep_for(std::chrono::microseconds(us));
        } else {
            const std::int64_t until = steady_now() + us * 1000;
            while (steady_now() < until) {
            }
        }
        return Returned{};
    }
};

class Flaky final : public JobType {
public:
    RunResult run(RunContext& context) noexcept override {
        if (context.job().attempt < 3) return as_told();
        return Returned{};
    }
};

class Fails final : public JobType {
public:
    RunResult run(RunContext&) noexcept override { return as_told(); }
};

class CountHandled final : public DeadLetterHandler {
public:
    explicit CountHandled(Board& board) : board_(board) {}
    std::optional<ThrownError> handle(const Job&, PluginContext&) noexcept override {
        ++board_.handled;
        return std::nullopt;
    }

private:
    Board& board_;
};

class HangOrFail final : public DeadLetterHandler {
public:
    std::optional<ThrownError> handle(const Job& job, PluginContext&) noexcept override {
        while (job.input == kHang) ::pause();
        return host_error("bench::Broken", "as told");
    }
};

class Hold final : public JobType {
public:
    explicit Hold(Board& board) : board_(board) {}
    RunResult run(RunContext& context) noexcept override {
        const std::int64_t sample = number_in(context.job().input);
        const int second = context.job().attempt > 1 ? kSecondAttempt : 0;
        board_.started_at[sample + second].store(steady_now());
        while (context.wait(1s) == StopCause::kNone) {
        }
        return LeftEarly{};
    }

private:
    Board& board_;
};

LoadedType& add(JobTypes& types, const char* name, std::unique_ptr<JobType> run) {
    LoadedType type;
    type.name = name;
    type.run = std::move(run);
    types.types.push_back(std::move(type));
    return types.types.back();
}

}  // namespace

JobTypes suite_types(Board& board) {
    JobTypes types = standard_types(board);
    add(types, kWork, std::make_unique<Work>());
    LoadedType& flaky = add(types, kFlaky, std::make_unique<Flaky>());
    flaky.policy.retry.initial_delay = 1ms;
    flaky.policy.retry.multiplier = 1;
    add(types, kDoomed, std::make_unique<Fails>()).handler = std::make_unique<CountHandled>(board);
    add(types, kHostile, std::make_unique<Fails>()).handler = std::make_unique<HangOrFail>();
    add(types, kHold, std::make_unique<Hold>(board));
    return types;
}

}  // namespace jobhost::bench
