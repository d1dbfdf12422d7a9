#include "storage/sql/names.h"

#include "storage/sql/lane.h"
#include "storage/sql/session.h"

namespace jobhost::sql {

std::optional<std::int64_t> Names::find(NameKind kind, std::string_view text) {
    Ids& known = ids(kind);
    if (const auto found = known.find(text); found != known.end()) return found->second;

    Query row = session_.query("SELECT id FROM name WHERE kind = ? AND text = ?");
    row.bind_all(static_cast<int>(kind), text);
    if (!row.step()) return std::nullopt;
    const std::int64_t id = row.integer(0);
    known.emplace(text, id);
    return id;
}

std::int64_t Names::id_of(NameKind kind, std::string_view text) {
    if (const auto id = find(kind, text)) return *id;

    std::optional<std::int64_t> made;
    {
        Query row = session_.query(
            "INSERT INTO name (kind, text) VALUES (?, ?) ON CONFLICT (kind, text) DO NOTHING "
            "RETURNING id");
        row.bind_all(static_cast<int>(kind), text);
        if (row.step()) made = row.integer(0);
        if (made) row.step();  // to its end
    }
    if (!made) made = find(kind, text);  // somebody else was faster
    if (!made) throw StorageError(StorageError::Kind::kBusy, "a new name is being made elsewhere");
    made_some_ = true;
    const std::int64_t id = *made;
    if (id > (kind == NameKind::kQueue ? kMaxQueueId : kMaxTypeId)) {
        throw StorageError(StorageError::Kind::kMisused, "there are too many queues and types");
    }
    ids(kind).insert_or_assign(std::string(text), id);
    return id;
}

const std::string* Names::text_of(std::int64_t id) {
    if (const auto found = texts_.find(id); found != texts_.end()) return &found->second;

    Query row = session_.query("SELECT text FROM name WHERE id = ?");
    row.bind_all(id);
    if (!row.step()) return nullptr;
    return &texts_.emplace(id, row.text(0)).first->second;
}

void Names::rolled_back() {
    if (!made_some_) return;
    queues_.clear();
    types_.clear();
    texts_.clear();
    made_some_ = false;
}

}  // namespace jobhost::sql
