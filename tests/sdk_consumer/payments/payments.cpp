#include <stdexcept>
#include <string>

#include <jobhost/json.hpp>
#include <jobhost/sdk.hpp>

using namespace std::chrono_literals;

struct Order {
    std::string id;
    double amount;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Order, id, amount)

struct Unpayable : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

struct ProcessPayment : jobhost::Job<Order> {
    void execute(const Order& order, jobhost::JobContext& ctx) override {
        if (order.amount <= 0) throw Unpayable("nothing to pay for " + order.id);
        ctx.log("paid " + order.id);
    }
};

struct GiveUp : jobhost::DeadLetterHandler<ProcessPayment> {
    void handle(const jobhost::FailedJob& job, const jobhost::Error& error,
                jobhost::DeadLetterContext& ctx) override {
        ctx.log("giving up on " + job.input<Order>().id + ": " + std::string(error.message()));
    }
};

JOBHOST_PLUGIN("payments", "1.0.0", plugin) {
    plugin.job<ProcessPayment>("payments.process")
        .retry({.max_attempts = 5, .initial_delay = 30s, .max_delay = 1h})
        .do_not_retry<Unpayable>()
        .timeout(5min)
        .dead_letter<GiveUp>();
}
