#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/clock.h"

namespace jobhost::postgres {

/// A parameter that is an array, in the protocol's binary form: how many rows go to the server in
/// one statement.
class Array {
public:
    static Array of_integers() { return Array(20, 1016); }
    static Array of_texts() { return Array(25, 1009); }

    void add(std::int64_t value);
    void add(std::string_view text);
    void add(TimePoint time) { add(time.time_since_epoch().count()); }
    void add(Duration duration) { add(duration.count()); }
    void add_null();
    template <class Value>
    void add(const std::optional<Value>& value) {
        if (value) {
            add(*value);
        } else {
            add_null();
        }
    }

    std::size_t size() const { return count_; }
    unsigned type() const { return array_type_; }
    /// Valid until the next add().
    std::string_view bytes() const;

private:
    Array(unsigned element_type, unsigned array_type);
    void append(std::uint32_t value);

    const unsigned array_type_;
    std::uint32_t count_ = 0;
    mutable std::string bytes_;  // the header's count is written when it is asked for
};

}  // namespace jobhost::postgres
