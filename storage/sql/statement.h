#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/clock.h"
#include "storage/storage_error.h"

namespace jobhost::sql {

/// The values of one statement cannot be stored (too big, a constraint): the fault of one item, not
/// of the store.
class RowError : public StorageError {
public:
    explicit RowError(const std::string& what) : StorageError(Kind::kMisused, what) {}
};

/// Somebody else changed what the transaction read: it has no effect, and may be tried again.
class Collision : public StorageError {
public:
    explicit Collision(const std::string& what) : StorageError(Kind::kBusy, what) {}
};

/// A prepared statement of an engine, kept for many uses; used through Query. Parameters count from
/// 1 and columns from 0. Texts are bound without a copy.
class Statement {
public:
    virtual ~Statement() = default;

    virtual void bind_integer(int index, std::int64_t value) = 0;
    virtual void bind_text(int index, std::string_view text) = 0;
    virtual void bind_blob(int index, std::string_view bytes) = 0;
    virtual void bind_null(int index) = 0;

    /// True while there is a row.
    virtual bool step() = 0;

    /// Runs to the end and rewinds; returns the number of changed rows.
    virtual int run() = 0;

    /// Ready for the next step(); the bindings stay.
    virtual void rewind() noexcept = 0;

    /// After a use: rewound, and without bindings, so that no snapshot and no pointer stays.
    virtual void clear() noexcept = 0;

    virtual bool is_null(int column) const = 0;
    virtual std::int64_t integer(int column) const = 0;   // 0 for NULL; false and true are 0 and 1
    virtual std::string_view view(int column) const = 0;  // valid until the next step or rewind

private:
    friend class Query;
    bool in_use_ = false;
};

/// One use of a statement, cleared at the end of the scope.
/// Texts are bound without a copy: they must live until the Query is gone or they are bound anew.
class Query {
public:
    explicit Query(Statement& statement);
    ~Query();
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;

    Query& bind(int index, std::int64_t value) {
        statement_.bind_integer(index, value);
        return *this;
    }
    template <std::integral Integer>
    Query& bind(int index, Integer value) {
        return bind(index, static_cast<std::int64_t>(value));
    }
    Query& bind(int index, std::string_view text) {
        statement_.bind_text(index, text);
        return *this;
    }
    Query& bind(int index, const std::string& text) { return bind(index, std::string_view(text)); }
    Query& bind(int index, const char* text) { return bind(index, std::string_view(text)); }
    Query& bind(int index, std::string&& text) = delete;
    Query& bind(int index, TimePoint time) { return bind(index, time.time_since_epoch().count()); }
    Query& bind(int index, Duration duration) { return bind(index, duration.count()); }
    Query& bind(int index, std::nullptr_t) {
        statement_.bind_null(index);
        return *this;
    }
    template <class Value>
    Query& bind(int index, const std::optional<Value>& value) {
        return value ? bind(index, *value) : bind(index, nullptr);
    }
    Query& bind_blob(int index, std::string_view bytes) {
        statement_.bind_blob(index, bytes);
        return *this;
    }

    /// Binds parameters 1, 2, ... in order.
    template <class... Values>
    Query& bind_all(const Values&... values) {
        int index = 0;
        (bind(++index, values), ...);
        return *this;
    }

    /// True while there is a row.
    bool step() { return statement_.step(); }

    /// Runs to the end and rewinds; the bindings stay, so the next run needs only what differs.
    /// Returns the number of changed rows.
    int run() { return statement_.run(); }

    /// Ready for the next step(); the bindings stay.
    void reset() { statement_.rewind(); }

    bool is_null(int column) const { return statement_.is_null(column); }
    std::int64_t integer(int column) const { return statement_.integer(column); }
    std::optional<std::int64_t> optional_integer(int column) const;
    std::string_view view(int column) const { return statement_.view(column); }
    std::string text(int column) const { return std::string(view(column)); }
    std::optional<std::string> optional_text(int column) const;
    TimePoint time(int column) const { return TimePoint(Duration(integer(column))); }
    std::optional<TimePoint> optional_time(int column) const;

private:
    Statement& statement_;
};

}  // namespace jobhost::sql
