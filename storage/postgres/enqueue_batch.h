#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/postgres/session.h"
#include "storage/sql/enqueue_batch.h"

namespace jobhost::postgres {

/// All rows of a table in one statement. resolve_keys() takes the keys that are free: whoever wants
/// one at the same time waits for this transaction.
class EnqueueBatch final : public sql::EnqueueBatch {
public:
    EnqueueBatch(Session& session, std::span<const NewJob> jobs, TimePoint now);

    std::optional<EnqueueRefusal> resolve_keys() override;
    std::vector<Enqueued> store(std::optional<std::string_view> source) override;

private:
    /// What becomes of one job.
    struct Fate {
        JobId id = 0;  // its own
        std::int64_t queue = 0;
        std::int64_t type = 0;
        JobId existing = 0;                       // the job in the store that holds the key
        std::optional<std::size_t> earlier = {};  // the job of this batch that holds the key
        bool inherits_key = false;                // of a job that has ended
        bool is_new() const { return existing == 0 && !earlier; }
    };
    using Key = std::pair<std::int64_t, std::string_view>;  // type and text

    void take_ids();
    std::vector<Key> take_free_keys(std::vector<Key> keys);
    std::optional<EnqueueRefusal> resolve_held(const Key& key, std::size_t index, bool& is_gone);
    void give_keys_back();
    void inherit_keys();
    void insert_rows(std::optional<std::string_view> source);
    void insert_tags();
    void insert_deadlines();

    Session& session_;
    const std::span<const NewJob> jobs_;
    const TimePoint now_;
    std::vector<Fate> fates_;
    std::map<Key, std::size_t> keys_;  // and the first job of the batch that has it
    sql::Reaches reaches_;
};

}  // namespace jobhost::postgres
