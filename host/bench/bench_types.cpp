#include "host/bench/bench_types.h"

#include <charconv>

namespace jobhost::bench {
namespace {

class Noop final : public JobType {
public:
    RunResult run(RunContext&) noexcept override { return Returned{}; }
};

class Stamp final : public JobType {
public:
    explicit Stamp(Board& board) : board_(board) {}
    RunResult run(RunContext& context) noexcept override {
        const std::int64_t now = steady_now();
        const std::string& input = context.job().input;
        int sample = -1;
        std::from_chars(input.data(), input.data() + input.size(), sample);
        if (sample >= 0 && sample < Board::kMostSamples) board_.started_at[sample].store(now);
        return Returned{};
    }

private:
    Board& board_;
};

void add(JobTypes& types, const char* name, std::unique_ptr<JobType> run) {
    LoadedType type;
    type.name = name;
    type.run = std::move(run);
    types.types.push_back(std::move(type));
}

}  // namespace

const std::string& usual_input() {
    static const std::string input =
        R"({"order_id":"0123456789","amount":12.5,"note":")" + std::string(155, 'x') + "\"}";
    return input;
}

JobTypes standard_types(Board& board) {
    JobTypes types;
    add(types, kNoop, std::make_unique<Noop>());
    add(types, kStamp, std::make_unique<Stamp>(board));
    return types;
}

}  // namespace jobhost::bench
