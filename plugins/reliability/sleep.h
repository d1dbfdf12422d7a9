#pragma once

#include <cstdint>

#include <jobhost/job.hpp>
#include <jobhost/json.hpp>

namespace reliability {

/// `{"ms": n}`
struct SleepInput {
    std::uint32_t ms = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SleepInput, ms)

/// `demo.sleep`: sleeps, and stops when it is cancelled.
class Sleep : public jobhost::Job<SleepInput> {
public:
    void execute(const SleepInput& input, jobhost::JobContext& ctx) override;
};

/// `demo.stubborn`: sleeps and never looks for cancellation.
class Stubborn : public jobhost::Job<SleepInput> {
public:
    void execute(const SleepInput& input, jobhost::JobContext& ctx) override;
};

}  // namespace reliability
