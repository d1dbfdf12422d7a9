#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "storage/sql/enqueue_batch.h"
#include "storage/sqlite/session.h"
#include "storage/storage.h"

namespace jobhost::sqlite {

/// Row by row: there is no round trip to save. resolve_keys() only reads.
class EnqueueBatch final : public sql::EnqueueBatch {
public:
    EnqueueBatch(Session& session, std::span<const NewJob> jobs, TimePoint now);

    std::optional<EnqueueRefusal> resolve_keys() override;
    std::vector<Enqueued> store(std::optional<std::string_view> source) override;

private:
    /// Who holds the key of a job.
    struct Holder {
        JobId existing = 0;                       // in the store
        std::optional<std::size_t> earlier = {};  // in this batch
        bool is_free() const { return existing == 0 && !earlier; }
    };
    struct Statements;

    std::optional<EnqueueRefusal> resolve_key(std::size_t index);
    void insert(Statements& statements, const NewJob& job, JobId id, std::string_view source);
    void insert_key(const NewJob& job, std::int64_t type, JobId id);
    void insert_tags(const NewJob& job, JobId id);
    JobId take_ids(std::size_t count);

    Session& session_;
    const std::span<const NewJob> jobs_;
    const TimePoint now_;
    std::unordered_map<std::size_t, Holder> holders_;  // of the jobs with a key
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> keys_;  // type and key
    sql::Reaches reaches_;
};

}  // namespace jobhost::sqlite
