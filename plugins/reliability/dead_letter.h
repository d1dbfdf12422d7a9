#pragma once

#include <jobhost/dead_letter.hpp>
#include <jobhost/job.hpp>

namespace reliability {

/// `demo.deadletter`: always fails.
class AlwaysFails : public jobhost::Job<> {
public:
    void execute(jobhost::JobContext& ctx) override;
};

/// Appends one line about the job to the file that the plugin's setting `dead_letter_file` names;
/// without that setting it only logs.
class AppendsLine : public jobhost::DeadLetterHandler<AlwaysFails> {
public:
    void handle(const jobhost::FailedJob& job, const jobhost::Error& error,
                jobhost::DeadLetterContext& ctx) override;
};

}  // namespace reliability
