#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/job.h"
#include "storage/job_queries.h"
#include "storage/storage.h"

namespace jobhost {

/// What an operator's act did to one job.
struct ControlAnswer {
    enum class Outcome {
        kDone,
        kRequested,  // cancel: the running job was asked to stop
        kNotFound,
        kRefused,  // `reason` says why; nothing was done
    };
    Outcome outcome = Outcome::kDone;
    std::string reason = {};
    JobState state = JobState::kEnqueued;  // now
};

/// What became of a wish to do a dead-letter run again.
struct RerunAnswer {
    ControlAnswer::Outcome outcome = ControlAnswer::Outcome::kDone;
    std::string reason = {};    // kNotFound, kRefused
    std::int64_t run = 0;       // the new run
    bool has_live_node = true;  // false: no live node can do it now
};

/// How long ended jobs are kept; zero = for ever.
struct RetentionTimes {
    Duration succeeded = {};
    Duration failed = {};
    Duration expired = {};
    Duration cancelled = {};
    Duration keys = {};
};

struct PurgeCount {
    std::int64_t jobs = 0;
    std::int64_t keys = 0;
    std::int64_t nodes = 0;
    bool more = false;  // there is more to purge now
};

/// A batch of a purge that goes on beside the work: holds the writer for a few milliseconds.
inline constexpr int kPurgeBatch = 50;

/// What operators do to jobs. Each call is one short transaction; each act is guarded by the job's
/// state, so a double click does nothing twice.
class JobControl {
public:
    virtual ~JobControl() = default;

    /// From a terminal state back to waiting, in place: attempts, snoozes and orphanings 0, run_at
    /// now, deadline, start, finish and reason cleared; errors, checkpoint (unless `fresh`), log,
    /// source, dead-letter history and fence kept. Refused, naming the other, when another live job
    /// holds the key by now.
    virtual ControlAnswer requeue_job(JobId id, bool fresh) = 0;

    /// At once when it is not running, or its node is dead; a running one is flagged and its node
    /// told.
    virtual ControlAnswer cancel_job(JobId id, const std::string& by) = 0;

    /// Removes the job and everything that hangs on it, its key included. Refused while a live node
    /// runs it, and while it owes a dead-letter run on a live node.
    virtual ControlAnswer delete_job(JobId id) = 0;

    /// A dead-letter run that has ended is done once more, as a new run of the same handler or
    /// forwarder, by a live node that has it: the old one stays as history. Refused while such a
    /// run is open, and, unless `force`, when the job is not `failed` any more.
    virtual RerunAnswer rerun_dead_letter(std::int64_t run, bool force) = 0;

    /// True when it changed something. Wakes nodes on resume.
    virtual bool pause(Pause::Kind kind, const std::string& name, const std::string& service,
                       const std::string& by) = 0;
    virtual bool resume(Pause::Kind kind, const std::string& name, const std::string& service) = 0;

    /// Asks a live node, which is woken, and answers the request's number; nullopt when it is not
    /// live. `kind`: one that wants an answer.
    virtual std::optional<std::int64_t> ask_node(NodeId node, NodeRequest::Kind kind,
                                                 const std::string& argument,
                                                 const std::string& by) = 0;

    /// The answer, if it has come; it is given out once.
    virtual std::optional<RequestAnswer> take_answer(std::int64_t request) = 0;

    /// One small batch: ended jobs past their time (none with open dead-letter runs), keys past
    /// theirs whose job is not live, rows of dead nodes that no job names.
    virtual PurgeCount purge(const RetentionTimes& keep, int batch) = 0;
};

}  // namespace jobhost
