#pragma once

#include <string>

#include <jobhost/job.hpp>
#include <jobhost/json.hpp>

namespace reliability {

/// `{"how": "abort"}`, `"segv"` or `"exit"`
struct CrashInput {
    std::string how;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CrashInput, how)

/// `demo.crash`: ends the process that runs it, as broken plugins do.
class Crash : public jobhost::Job<CrashInput> {
public:
    void execute(const CrashInput& input, jobhost::JobContext& ctx) override;
};

}  // namespace reliability
