#pragma once

#include <string>

#include "host/bench/board.h"
#include "host/engine/job_events.h"
#include "host/engine/job_types.h"

namespace jobhost::bench {

inline constexpr const char* kNoop = "bench.noop";    // returns at once
inline constexpr const char* kStamp = "bench.stamp";  // input: which sample's start it notes

/// A JSON object of 205 bytes, as many jobs carry.
const std::string& usual_input();

/// The two, as the engine takes them. `board` outlives them.
JobTypes standard_types(Board& board);

/// Counts on the board each job that came to its end, when that is stored.
class CountEnds final : public JobEvents {
public:
    /// `board` outlives it.
    explicit CountEnds(Board& board) : board_(board) {}
    void job_succeeded(const RunRef&, Duration) override { ++board_.ended; }
    void job_failed(const RunRef&, const JobError&, std::string_view, std::string_view) override {
        ++board_.ended;
    }

private:
    Board& board_;
};

}  // namespace jobhost::bench
