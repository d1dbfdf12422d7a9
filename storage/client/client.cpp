#include "storage/client/include/jobhost/client.hpp"

#include <mutex>
#include <utility>
#include <variant>

#include "storage/enqueue_rules.h"
#include "storage/storage_error.h"
#include "storage/store.h"

namespace jobhost::client {
namespace {

namespace store = ::jobhost;

Error::Kind kind_of(store::StorageError::Kind kind) {
    using Kind = store::StorageError::Kind;
    switch (kind) {
        case Kind::kBusy:
        case Kind::kFull:
        case Kind::kReadOnly:
        case Kind::kMissing:
        case Kind::kUnavailable: return Error::Kind::kUnavailable;
        case Kind::kUnknownOutcome: return Error::Kind::kOutcomeUnknown;
        case Kind::kCorrupt:
        case Kind::kTooNew:
        case Kind::kMisused: return Error::Kind::kUnusable;
    }
    return Error::Kind::kUnusable;
}

[[noreturn]] void rethrow(const store::StorageError& error) {
    throw Error(kind_of(error.kind()), error.what());
}

std::optional<store::TimePoint> stored_time(
    const std::optional<std::chrono::system_clock::time_point>& time) {
    if (!time) return std::nullopt;
    return std::chrono::time_point_cast<store::Duration>(*time);
}

store::NewJob stored_job(const NewJob& job, const std::string& source) {
    const Options& options = job.options;
    return {.type = job.type,
            .input = job.input,
            .queue = options.queue,
            .priority = static_cast<store::Priority>(options.priority),
            .tags = options.tags,
            .max_attempts = options.max_attempts,
            .delay = options.delay,
            .run_at = stored_time(options.run_at),
            .deadline_after = options.deadline_after,
            .deadline_at = stored_time(options.deadline_at),
            .timeout = options.timeout,
            .idempotency_key = options.idempotency_key,
            .on_duplicate = static_cast<store::OnDuplicate>(options.on_duplicate),
            .traceparent = options.traceparent,
            .source = source};
}

// The numbers are converted by a cast.
static_assert(static_cast<int>(store::Priority::kLow) == static_cast<int>(Priority::kLow));
static_assert(static_cast<int>(store::OnDuplicate::kRejectAlways) ==
              static_cast<int>(OnDuplicate::kRejectAlways));

Enqueued answer_of(const store::Enqueued& stored, const store::NewJob& job) {
    return {stored.id, stored.duplicate, store::enqueue_warning(job, stored)};
}

Error refusal_of(const store::EnqueueRefusal& refusal, std::size_t count) {
    const std::string which = count > 1 ? "job " + std::to_string(refusal.index) + ": " : "";
    return Error(Error::Kind::kRefused, which + refusal.reason, refusal.index, refusal.existing);
}

}  // namespace

class Client::Impl {
public:
    explicit Impl(Settings settings) : source_(std::move(settings.source)) {
        try {
            handle_ = store::open_store({.url = std::move(settings.url),
                                         .synchronous_full = settings.synchronous_full,
                                         .max_input_bytes = settings.max_input_bytes,
                                         .lock_timeout = settings.lock_timeout,
                                         .schema = std::move(settings.schema),
                                         .listen = settings.listen},
                                        clock_, settings.create);
            session_ = handle_->open_session();
        } catch (const store::StorageError& error) {
            rethrow(error);
        }
    }

    std::vector<Enqueued> enqueue(const NewJob* jobs, std::size_t count) {
        if (count == 0) return {};
        std::vector<store::NewJob> stored;
        stored.reserve(count);
        for (std::size_t index = 0; index < count; ++index) {
            stored.push_back(stored_job(jobs[index], source_));
        }
        const store::EnqueueResult result = store_jobs(stored);
        if (const auto* refusal = std::get_if<store::EnqueueRefusal>(&result)) {
            throw refusal_of(*refusal, count);
        }
        std::vector<Enqueued> answers;
        answers.reserve(count);
        for (const store::Enqueued& one : std::get<std::vector<store::Enqueued>>(result)) {
            answers.push_back(answer_of(one, stored[answers.size()]));
        }
        return answers;
    }

private:
    store::EnqueueResult store_jobs(const std::vector<store::NewJob>& jobs) {
        const std::lock_guard lock(mutex_);
        try {
            return session_->enqueue(jobs);
        } catch (const store::StorageError& error) {
            rethrow(error);
        }
    }

    const std::string source_;
    store::SystemClock clock_;
    std::unique_ptr<store::StoreHandle> handle_;
    std::mutex mutex_;                       // one session, one thread at a time
    std::unique_ptr<store::Store> session_;  // guarded by mutex_
};

Client::Client(Settings settings) : impl_(std::make_unique<Impl>(std::move(settings))) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Enqueued Client::enqueue(const std::string& type, const std::string& input,
                         const Options& options) {
    return enqueue(NewJob{type, input, options});
}

Enqueued Client::enqueue(const NewJob& job) {
    return impl_->enqueue(&job, 1).front();
}

std::vector<Enqueued> Client::enqueue_all(const std::vector<NewJob>& jobs) {
    return impl_->enqueue(jobs.data(), jobs.size());
}

}  // namespace jobhost::client
