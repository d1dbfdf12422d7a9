#include "host/engine/run.h"

#include <algorithm>
#include <utility>

#include "host/engine/limit_text.h"
#include "storage/enqueue_rules.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

constexpr auto kStartNoteAfter = 50ms;  // shorter runs store their start with their outcome
constexpr auto kNoteEvery = 1s;         // progress and log lines of a run that goes on
constexpr auto kIgnoredAfter = 10s;     // SPEC 5
constexpr auto kAskPatience = 30s;      // a checkpoint or enqueue while the store is away
constexpr std::size_t kMaxLines = 200;  // the last ones, as the store keeps them
constexpr std::size_t kMaxLineBytes = 16 * 1024;
constexpr std::size_t kMaxOnSuccess = 1000;

/// What the store answered, in the words of a plugin's question.
Asked asked(const std::optional<WriteAnswer>& answer) {
    if (!answer) return {AskStatus::kUnavailable, "the store is away, or the host is stopping"};
    switch (answer->outcome) {
        case WriteAnswer::Outcome::kLeaseLost:
            return {AskStatus::kLeaseLost, "another node answers for this job by now"};
        case WriteAnswer::Outcome::kRefused: return {AskStatus::kRefused, answer->reason};
        case WriteAnswer::Outcome::kStored: break;
    }
    Asked done;
    if (!answer->enqueued.empty()) {
        done.id = answer->enqueued.front().id;
        done.duplicate = answer->enqueued.front().duplicate;
    }
    return done;
}

}  // namespace

Asked ask_to_enqueue(NewJob job, const EngineSettings& settings, const RunServices& services) {
    if (auto wrong = check_new_job(job, settings.max_input_bytes)) {
        return {AskStatus::kInvalid, *std::move(wrong)};
    }
    EnqueueJobs write;
    write.jobs.push_back(std::move(job));
    return asked(services.writes.ask(std::move(write), services.clock, kAskPatience));
}

Run::Run(ClaimedJob job, std::shared_ptr<const Plan> plan, const RunServices& services,
         SteadyPoint claimed_at)
    : job_(std::move(job)),
      plan_(std::move(plan)),
      queue_plan_(plan_->queues[job_.queue]),
      type_plan_(queue_plan_.types[job_.type]),
      services_(services),
      claimed_at_(claimed_at) {}

Run::~Run() {
    if (node_file) node_file->unmark(start_mark_);
}

RunRef Run::ref() const {
    return {job_.lease.job, type(), queue(), job_.attempt, job_.lease.fence};
}

RunFacts Run::facts() const {
    return {.id = job_.lease.job,
            .type = type(),
            .attempt = job_.attempt,
            .max_attempts = job_.max_attempts,
            .limit_requested = job_.max_attempts_requested.has_value(),
            .snoozes = job_.snoozes,
            .orphanings = job_.orphanings,
            .max_snoozes = plan_->settings.max_snoozes,
            .first_started_at = job_.first_started_at ? job_.first_started_at : started_at_,
            .dead_letters = type_plan_.dead_letters};
}

// ---- the job's side

void Run::keep_line(LogLevel level, std::string text) {
    if (text.size() > kMaxLineBytes) {
        const std::size_t cut = text.size() - kMaxLineBytes;
        text.resize(kMaxLineBytes);
        text += " ... " + std::to_string(cut) + " bytes cut";
    }
    if (new_lines_.size() >= kMaxLines) new_lines_.erase(new_lines_.begin());
    new_lines_.push_back({services_.clock.now(), level, std::move(text)});
}

void Run::log(LogLevel level, std::string_view text) {
    {
        const std::lock_guard lock(mutex_);
        if (ended_) return;
        keep_line(level, std::string(text));
    }
    services_.events.job_logged(ref(), level, text);
}

void Run::progress(int percent, std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    percent_ = percent < 0 ? -1 : std::min(percent, 100);
    progress_text_ = std::string(text.substr(0, kMaxLineBytes));
}

Asked Run::enqueue(NewJob job) {
    job.source = "job:" + std::to_string(job_.lease.job);
    if (!job.traceparent) job.traceparent = job_.traceparent;
    return ask_to_enqueue(std::move(job), plan_->settings, services_);
}

Asked Run::enqueue_on_success(NewJob job) {
    job.source = "job:" + std::to_string(job_.lease.job);
    if (!job.traceparent) job.traceparent = job_.traceparent;
    if (auto wrong = check_new_job(job, plan_->settings.max_input_bytes)) {
        return {AskStatus::kInvalid, *std::move(wrong)};
    }
    const std::lock_guard lock(mutex_);
    if (ended_) return {AskStatus::kUnavailable, "the run has ended"};
    if (on_success_.size() >= kMaxOnSuccess) {
        return {AskStatus::kInvalid, "a job may enqueue at most 1000 jobs with its success"};
    }
    on_success_.push_back(std::move(job));
    return {};
}

Asked Run::save_checkpoint(std::string_view json) {
    if (json.size() > plan_->settings.max_input_bytes) {
        return {AskStatus::kInvalid, "a checkpoint may have at most limits.max_input_bytes"};
    }
    if (!json.empty()) {
        if (auto wrong = check_json(json)) return {AskStatus::kInvalid, *std::move(wrong)};
    }
    return asked(services_.writes.ask(SaveCheckpoint{job_.lease, std::string(json)},
                                      services_.clock, kAskPatience));
}

bool Run::complete() {
    const std::lock_guard lock(mutex_);
    const StopCause cause = cause_.load();
    const bool too_late = cause == StopCause::kTimeout || cause == StopCause::kLeaseLost;
    if (!too_late && !ended_) completed_ = true;
    return completed_;
}

StopCause Run::stop_cause() {
    if (cause_.load(std::memory_order_relaxed) == StopCause::kNone) return StopCause::kNone;
    const std::lock_guard lock(mutex_);
    saw_stop_ = true;
    return cause_.load();
}

StopCause Run::wait(Duration at_most) {
    std::unique_lock lock(mutex_);
    const auto until = std::chrono::steady_clock::now() + std::min(at_most, Duration(24h * 365));
    changed_.wait_until(lock, until,
                        [this] { return cause_.load() != StopCause::kNone || ended_; });
    if (cause_.load() != StopCause::kNone) saw_stop_ = true;
    return cause_.load();
}

// ---- the node's side

void Run::begin(SteadyPoint now) {
    const auto& requested = job_.timeout_requested;
    limit_ = requested ? *requested : type_plan_.rules.timeout.value.value_or(Duration(0));
    began_at_ = now;
    if (limit_ > Duration(0)) limit_at_ = now + limit_;
    const std::lock_guard lock(mutex_);
    begun_ = true;
    if (node_file) start_mark_ = node_file->mark(job_.lease.job, job_.lease.fence);
    started_at_ = services_.clock.now();
}

bool Run::has_begun() const {
    const std::lock_guard lock(mutex_);
    return begun_;
}

Duration Run::waited() const {
    const std::lock_guard lock(mutex_);
    return std::max(*started_at_ - job_.run_at, Duration(0));
}

StopCause Run::cause_now() const {
    return cause_.load();
}

SteadyPoint Run::first_look() const {
    return std::min(limit_at_, began_at_ + std::chrono::steady_clock::duration(kStartNoteAfter));
}

bool Run::request_stop(StopCause cause, const std::string& by) {
    const std::lock_guard lock(mutex_);
    if (ended_) return false;
    const bool first = cause_.load() == StopCause::kNone;
    if (!first && (cause != StopCause::kLeaseLost || cause_.load() == StopCause::kLeaseLost)) {
        return false;
    }
    cause_.store(cause);
    if (first) stop_asked_at_ = services_.clock.steady_now();
    if (cause == StopCause::kTimeout)
        stopping_ = "its time limit of " + limit_text(limit_) + " has passed";
    if (cause == StopCause::kShutdown) stopping_ = "its node is stopping";
    stopped_by_ = by;
    changed_.notify_all();
    return true;
}

std::optional<RunEnd> Run::finish(RunResult result, SteadyPoint now) {
    const std::lock_guard lock(mutex_);
    if (ended_) return std::nullopt;
    ended_ = true;
    changed_.notify_all();
    // The limit counts from the start, not from when the watchdog came round.
    if (now >= limit_at_ && cause_.load() == StopCause::kNone && !completed_) {
        cause_.store(StopCause::kTimeout);
    }
    if (cause_.load() == StopCause::kLeaseLost) return std::nullopt;
    return RunEnd{.result = std::move(result),
                  .cause = cause_.load(),
                  .saw_stop = saw_stop_,
                  .completed = completed_,
                  .cancelled_by = stopped_by_,
                  .timeout = limit_,
                  .on_success = std::move(on_success_)};
}

std::optional<RunEnd> Run::give_up() {
    return finish(LeftEarly{}, services_.clock.steady_now());
}

RunNote Run::take_note() {
    RunNote note{.lease = job_.lease,
                 .log = std::move(new_lines_),
                 .progress_percent = percent_,
                 .progress_text = std::move(progress_text_),
                 .stopping = std::exchange(stopping_, {})};
    if (!start_stored_) note.started_at = started_at_;
    start_stored_ = true;
    new_lines_.clear();
    percent_.reset();
    progress_text_.reset();
    return note;
}

RunReport Run::report(Transition next) {
    const std::lock_guard lock(mutex_);
    return {job_.lease, std::move(next),          started_at_, std::move(new_lines_),
            percent_,   std::move(progress_text_)};
}

bool Run::is_past_limit(SteadyPoint now) const {
    const std::lock_guard lock(mutex_);
    return now >= limit_at_ && !ended_ && !completed_ && cause_.load() == StopCause::kNone;
}

SteadyPoint Run::check(SteadyPoint now) {
    if (is_past_limit(now) && request_stop(StopCause::kTimeout)) {
        services_.events.timeout_reached(ref(), limit_);
    }
    bool ignored = false;
    Duration since_request{0};
    SteadyPoint next = now + kNoteEvery;
    std::optional<RunNote> note;
    {
        const std::lock_guard lock(mutex_);
        if (ended_) return SteadyPoint::max();
        if (!start_stored_ || !new_lines_.empty() || percent_ || progress_text_ || stopping_) {
            note = take_note();
        }
        if (cause_.load() == StopCause::kNone) {
            next = std::min(next, limit_at_);
        } else if (!warned_) {
            since_request = std::chrono::duration_cast<Duration>(now - stop_asked_at_);
            warned_ = ignored = since_request >= kIgnoredAfter;
            next = std::min(next, SteadyPoint(stop_asked_at_ + kIgnoredAfter));
        }
    }
    if (note) services_.writes.push({.write = *std::move(note)});
    if (ignored) services_.events.cancellation_ignored(ref(), since_request);
    return std::max(next, now + 1ms);
}

}  // namespace jobhost
