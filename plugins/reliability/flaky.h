#pragma once

#include <jobhost/job.hpp>

namespace reliability {

/// `demo.flaky`: fails twice, succeeds on the third attempt.
class Flaky : public jobhost::Job<> {
public:
    void execute(jobhost::JobContext& ctx) override;
};

}  // namespace reliability
