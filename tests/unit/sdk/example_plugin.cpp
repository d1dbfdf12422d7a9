// The documentation's example, a bit more than the smallest: it must compile without a warning.

#include <jobhost/json.hpp>
#include <jobhost/sdk.hpp>

using namespace std::chrono_literals;

struct InvalidPixKey : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};
struct PaymentInput {
    std::string order_id;
    double amount;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PaymentInput, order_id, amount)

struct ProcessPayment : jobhost::Job<PaymentInput> {
    void execute(const PaymentInput& input, jobhost::JobContext& ctx) override {
        if (input.amount <= 0) throw InvalidPixKey("nothing to pay");
        const auto settings = ctx.settings<nlohmann::json>();
        ctx.log("paid " + input.order_id + " in " + settings.value("currency", "BRL"));
    }
};
struct PaymentDeadLetter : jobhost::DeadLetterHandler<ProcessPayment> {
    void handle(const jobhost::FailedJob& job, const jobhost::Error&,
                jobhost::CancellationToken token) override {
        token.throw_if_cancelled();
        if (job.input<PaymentInput>().amount > 1000) throw std::runtime_error("call somebody");
    }
};

struct CountBytes : jobhost::Job<jobhost::RawJson> {
    void execute(const jobhost::RawJson& input, jobhost::JobContext& ctx) override {
        ctx.log(std::to_string(input.text.size()) + " bytes");
    }
};

struct Audit : jobhost::Forwarder {
    bool applies_to(const jobhost::FailedJob& job) override { return !job.tags().empty(); }
    void forward(const jobhost::FailedJob& job, const jobhost::Error& error,
                 jobhost::DeadLetterContext& ctx) override {
        ctx.enqueue({.type = "audit", .input = jobhost::json_text(std::string(error.type()))});
        ctx.log("audited " + std::to_string(job.id()));
    }
};

JOBHOST_PLUGIN("payments", "1.4.0", plugin) {
    plugin.job<ProcessPayment>("payments.process")
        .retry({.max_attempts = 5, .initial_delay = 30s, .multiplier = 2.0, .max_delay = 1h})
        .do_not_retry<InvalidPixKey>()
        .timeout(5min)
        .dead_letter<PaymentDeadLetter>();
    plugin.job<CountBytes>("payments.count");
    plugin.forwarder<Audit>("audit");
    plugin.retry_delay(
        "linear", [](const jobhost::RetryInfo& info) -> std::optional<std::chrono::microseconds> {
            if (info.error().is<std::bad_alloc>()) return std::nullopt;
            if (info.error().is<std::logic_error>()) throw std::runtime_error("no idea");
            return info.attempts_made() * 10s + std::chrono::seconds(info.random());
        });
    plugin.on_start([](jobhost::Host& host) {
        if (host.settings<nlohmann::json>().contains("refuse")) {
            throw std::runtime_error("refused by settings");
        }
        host.log("hello from " + std::string(host.node()));
        host.enqueue({.type = "payments.count"});
    });
}
