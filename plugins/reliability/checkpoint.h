#pragma once

#include <jobhost/job.hpp>

namespace reliability {

/// `demo.checkpoint`: five steps with a checkpoint after each; the first attempt throws after the
/// third, and the next one goes on with the fourth.
class Checkpoint : public jobhost::Job<> {
public:
    void execute(jobhost::JobContext& ctx) override;
};

}  // namespace reliability
