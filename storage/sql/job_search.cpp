#include "storage/sql/job_search.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "storage/sql/pending_walk.h"
#include "storage/sql/placed.h"
#include "storage/sql/read_job.h"
#include "storage/sql/session.h"
#include "storage/sql/walk_sql.h"

namespace jobhost::sql {
namespace {

constexpr std::size_t kLookedAtMost = 20'000;  // rows of one search: some tens of milliseconds
constexpr std::size_t kErrorWeight = 4;        // reading a row's last error costs like so many
constexpr std::size_t kChunk = 500;
constexpr JobId kNoBound = std::numeric_limits<JobId>::max();
constexpr std::int64_t kHour = 3'600'000'000;  // microseconds

constexpr std::string_view kLaneAndTime = "SELECT lane, created_at FROM job WHERE id = ?1";
constexpr std::string_view kHasTag = "SELECT 1 FROM tag WHERE tag = ?1 AND id = ?2";
constexpr std::string_view kLastError =
    "SELECT type, types, message, stack FROM fault WHERE id = ?1 ORDER BY fence DESC LIMIT 1";

struct Candidate {
    JobId id = 0;
    std::optional<Lane> lane = {};
    std::optional<JobState> state = {};
};

[[noreturn]] void refuse_place(const std::string& after) {
    throw StorageError(StorageError::Kind::kMisused,
                       "\"" + after.substr(0, 64) + "\" is not a place that a list gave");
}

/// `j<id>` or `p<group>.<run_at>.<id>`, as numbers.
std::vector<std::int64_t> parse_place(char kind, std::size_t count, const std::string& after) {
    if (after.empty()) return {};
    if (after.front() != kind) refuse_place(after);
    std::vector<std::int64_t> numbers;
    const char* at = after.data() + 1;
    const char* const end = after.data() + after.size();
    for (;;) {
        std::int64_t number = 0;
        const auto [stop, error] = std::from_chars(at, end, number);
        if (error != std::errc() || number < 0) refuse_place(after);
        numbers.push_back(number);
        if (stop == end) break;
        if (*stop != '.') refuse_place(after);
        at = stop + 1;
    }
    if (numbers.size() != count) refuse_place(after);
    return numbers;
}

class Search {
public:
    Search(Session& session, const JobFilter& filter, std::size_t want)
        : session_(session), filter_(filter), want_(want), now_(session.now()) {}

    FoundJobs run(const std::string& after) {
        if (!resolve()) return {};
        const bool by_place = only(is_waiting) && filter_.tag.empty() && !asks_for_error();
        return by_place ? in_lane_order(after) : newest_first(after);
    }

private:
    static bool is_waiting(JobState state) {
        return state == JobState::kScheduled || state == JobState::kEnqueued;
    }

    /// True when there are wanted states and all of them are like that.
    template <class Predicate>
    bool only(Predicate like_that) const {
        return !filter_.states.empty() && std::ranges::all_of(filter_.states, like_that);
    }
    bool wants(JobState state) const {
        return std::ranges::find(filter_.states, state) != filter_.states.end();
    }

    /// Turns names and times into numbers. False when nothing can match.
    bool resolve() {
        if (only([](JobState state) { return state == JobState::kAwaiting; })) return false;
        if (!filter_.queue.empty()) {
            queue_ = session_.names().find(NameKind::kQueue, filter_.queue);
            if (!queue_) return false;
        }
        if (!filter_.type.empty()) {
            type_ = session_.names().find(NameKind::kType, filter_.type);
            if (!type_) return false;
        }
        if (!filter_.since) return true;
        const auto first =
            session_.first_id_since(filter_.since->time_since_epoch().count() / kHour);
        first_id_ = first.value_or(0);
        return first.has_value();
    }

    FoundJobs in_lane_order(const std::string& after) {
        PendingRange range{.queue = queue_, .type = type_};
        const std::int64_t now = now_.time_since_epoch().count();
        if (!wants(JobState::kEnqueued)) range.run_after = now;
        if (!wants(JobState::kScheduled)) range.run_until = now;
        PendingPlace place;
        if (const auto numbers = parse_place('p', 3, after); !numbers.empty()) {
            place = {.group = numbers[0], .run_at = numbers[1], .id = numbers[2]};
        }

        FoundJobs found;
        PendingWalk walk(session_, range, place);
        std::size_t looked_at = 0;
        while (looked_at < kLookedAtMost) {
            const std::optional<JobId> id = walk.next(looked_at);
            if (!id) return found;
            if (!matches({.id = *id, .lane = {}, .state = JobState::kEnqueued}, false)) continue;
            if (found.ids.size() == want_) {
                found.next = place_text(place);
                return found;
            }
            found.ids.push_back(*id);
            place = walk.place();
        }
        found.next = place_text(walk.place());
        return found;
    }

    static std::string place_text(const PendingPlace& place) {
        return "p" + std::to_string(place.group) + "." +
               std::to_string(std::max<std::int64_t>(place.run_at, 0)) + "." +
               std::to_string(place.id);
    }

    FoundJobs newest_first(const std::string& after) {
        const auto numbers = parse_place('j', 1, after);
        JobId below = numbers.empty() ? kNoBound : numbers[0];
        FoundJobs found;
        for (std::size_t looked_at = 0; looked_at < kLookedAtMost;) {
            const std::vector<Candidate> chunk = candidates(below);
            looked_at += chunk.size() * (asks_for_error() ? kErrorWeight : 1);
            for (const Candidate& one : chunk) {
                if (matches(one, true)) {
                    if (found.ids.size() == want_) {
                        found.next = "j" + std::to_string(found.ids.back());
                        return found;
                    }
                    found.ids.push_back(one.id);
                }
                below = one.id;
            }
            if (chunk.size() < kChunk) return found;
        }
        found.next = "j" + std::to_string(below);
        return found;
    }

    /// The next ids below this one, newest first; fewer than kChunk at the end.
    std::vector<Candidate> candidates(JobId below) {
        std::vector<Candidate> chunk;
        const bool only_failed = only([](JobState state) { return state == JobState::kFailed; });
        if (!filter_.tag.empty()) {
            fetch(kTaggedBelow, below, chunk, filter_.tag);
        } else if (asks_for_error() && !only_failed) {
            fetch(kFaultyBelow, below, chunk);
        } else if (filter_.states.empty() || std::ranges::any_of(filter_.states, is_waiting)) {
            fetch(kJobsBelow, below, chunk);
        } else {
            fetch_states(below, chunk);
        }
        return chunk;
    }

    void fetch_states(JobId below, std::vector<Candidate>& chunk) {
        if (wants(JobState::kProcessing)) fetch(kRunningBelow, below, chunk);
        if (wants(JobState::kFailed)) fetch(kDeadBelow, below, chunk);
        if (wants(JobState::kSucceeded)) {
            fetch(kDoneBelow, below, chunk);
        } else {
            for (const JobState state : {JobState::kExpired, JobState::kCancelled}) {
                if (wants(state)) {
                    fetch(kDoneOfStateBelow, below, chunk, static_cast<std::int64_t>(state));
                }
            }
        }
        // Each table gave its first ones, so the first ones of all are among them.
        std::ranges::sort(chunk, std::greater{}, &Candidate::id);
        if (chunk.size() > kChunk) chunk.resize(kChunk);
    }

    template <class... Extra>
    void fetch(std::string_view sql, JobId below, std::vector<Candidate>& chunk,
               const Extra&... extra) {
        Query row = session_.query(sql);
        row.bind_all(below, first_id_, kChunk, extra...);
        while (row.step()) {
            Candidate& one = chunk.emplace_back();
            one.id = row.integer(0);
            one.lane = row.optional_integer(1);
            if (const auto state = row.optional_integer(2)) {
                one.state = static_cast<JobState>(*state);
            }
        }
    }

    bool matches(const Candidate& one, bool check_state) {
        if (check_state && one.state && !filter_.states.empty() && !wants(*one.state)) return false;
        if (!matches_job_row(one)) return false;
        if (!filter_.tag.empty() && !has_tag(one.id)) return false;
        if (asks_for_error() && !has_error(one)) return false;
        if (!check_state || one.state || filter_.states.empty()) return true;
        const std::optional<Placed> placed = find_placed(session_, one.id);
        return placed && wants(placed->state);
    }

    bool matches_job_row(const Candidate& one) {
        if (!queue_ && !type_ && !filter_.since) return true;
        std::optional<Lane> lane = one.lane;
        if (!lane || filter_.since) {
            Query row = session_.query(kLaneAndTime);
            if (!row.bind(1, one.id).step()) return false;
            lane = row.integer(0);
            if (filter_.since && row.time(1) < *filter_.since) return false;
        }
        if (queue_ && queue_of(*lane) != *queue_) return false;
        return !type_ || type_of(*lane) == *type_;
    }

    bool has_tag(JobId id) {
        Query row = session_.query(kHasTag);
        return row.bind_all(filter_.tag, id).step();
    }

    bool asks_for_error() const { return !filter_.error.empty() || !filter_.group.empty(); }

    bool has_error(const Candidate& one) {
        Query row = session_.query(kLastError);
        if (!row.bind(1, one.id).step()) return false;
        if (!filter_.group.empty() && !is_in_group(one, row)) return false;
        return filter_.error.empty() || is_error(row);
    }

    bool is_in_group(const Candidate& one, const Query& fault) {
        std::optional<Lane> lane = one.lane;
        if (!lane) {
            Query row = session_.query(kLaneAndTime);
            if (!row.bind(1, one.id).step()) return false;
            lane = row.integer(0);
        }
        return filter_.group == failure_group_id(shown_name(session_, type_of(*lane)),
                                                 fault.view(0), top_frame(fault.view(3)));
    }

    bool is_error(const Query& row) {
        if (row.view(0) == filter_.error) return true;
        if (row.view(2).find(filter_.error) != std::string_view::npos) return true;
        const std::vector<std::string> types = split_lines(row.view(1));
        return std::ranges::find(types, filter_.error) != types.end();
    }

    Session& session_;
    const JobFilter& filter_;
    const std::size_t want_;
    const TimePoint now_;
    std::optional<std::int64_t> queue_;
    std::optional<std::int64_t> type_;
    JobId first_id_ = 0;
};

}  // namespace

FoundJobs search_jobs(Session& session, const JobFilter& filter, std::size_t want,
                      const std::string& after) {
    return Search(session, filter, want).run(after);
}

}  // namespace jobhost::sql
