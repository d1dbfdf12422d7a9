#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace jobhost::sql {

class Session;

enum class NameKind { kQueue = 1, kType = 2 };

/// Names of queues and types and the small numbers that stand for them in the tables. Rows of
/// `name` are never changed or removed, so what was read once stays true.
class Names {
public:
    explicit Names(Session& session) : session_(session) {}

    std::optional<std::int64_t> find(NameKind kind, std::string_view text);

    /// Makes it when it is not there: only inside a write transaction.
    std::int64_t id_of(NameKind kind, std::string_view text);

    /// nullptr for a number that no name has (a broken row). Valid until the transaction ends.
    const std::string* text_of(std::int64_t id);

    void committed() { made_some_ = false; }

    /// After a rollback: what was made in the transaction is gone.
    void rolled_back();

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };
    using Ids = std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>>;

    Ids& ids(NameKind kind) { return kind == NameKind::kQueue ? queues_ : types_; }

    Session& session_;
    Ids queues_;
    Ids types_;
    std::unordered_map<std::int64_t, std::string> texts_;
    bool made_some_ = false;
};

}  // namespace jobhost::sql
