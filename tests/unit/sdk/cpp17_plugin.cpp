// The SDK promises C++17: this file is compiled as such, in every header.

#include <stdexcept>

#include <jobhost/json.hpp>
#include <jobhost/sdk.hpp>
#include <jobhost/testing.hpp>

struct Numbers : jobhost::Job<std::vector<int>> {
    void execute(const std::vector<int>& numbers, jobhost::JobContext& ctx) override {
        jobhost::Enqueue next;
        next.type = "numbers.more";
        next.input = jobhost::json_text(numbers.size());
        ctx.enqueue_on_success(next);
    }
};

struct NumbersFailed : jobhost::DeadLetterHandler<Numbers> {
    void handle(const jobhost::FailedJob&, const jobhost::Error&,
                jobhost::CancellationToken) override {}
};

JOBHOST_PLUGIN("numbers", "1.0.0", plugin) {
    jobhost::RetryOptions retry;
    retry.max_attempts = 3;
    plugin.job<Numbers>("numbers.add")
        .retry(retry)
        .do_not_retry<std::logic_error, std::bad_alloc>()
        .timeout(std::chrono::seconds(5))
        .dead_letter<NumbersFailed>();
}
