#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/clock.h"

namespace jobhost {

/// Writes JSON as text, so that a job's input goes in as the bytes that it is. Commas and quotes
/// are the writer's business; that begins and ends match is the caller's. Bytes that are not UTF-8
/// become U+FFFD.
class JsonWriter {
public:
    JsonWriter& begin_object();
    JsonWriter& end_object();
    JsonWriter& begin_array();
    JsonWriter& end_array();
    JsonWriter& key(std::string_view name);

    JsonWriter& value(std::string_view text);
    JsonWriter& value(const char* text) { return value(std::string_view(text)); }
    JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
    JsonWriter& value(bool truth);
    JsonWriter& value(std::int64_t number);
    JsonWriter& value(int number) { return value(std::int64_t{number}); }
    JsonWriter& value(double number);  // null when it is not finite
    JsonWriter& value(TimePoint time);
    JsonWriter& null();

    /// `json` is one JSON value and goes in as it is.
    JsonWriter& raw(std::string_view json);

    /// A 64-bit id as decimal text; null for 0, which stands for none.
    JsonWriter& id(std::int64_t id);

    /// A duration in seconds, as a number with up to six decimals.
    JsonWriter& seconds(Duration duration);

    template <class T>
    JsonWriter& value(const std::optional<T>& maybe) {
        return maybe ? value(*maybe) : null();
    }
    JsonWriter& value(const std::vector<std::string>& texts);

    template <class T>
    JsonWriter& field(std::string_view name, const T& content) {
        return key(name).value(content);
    }

    /// A text field whose empty text means that there is none: null.
    JsonWriter& text_or_null(std::string_view name, std::string_view text);

    const std::string& text() const { return text_; }

    /// What was written since the last call, for documents that are too long to be kept whole.
    std::string take();

private:
    void before_value();
    void close(char bracket);

    std::string text_;
    std::vector<bool> has_items_;  // one for each open object or array
    bool after_key_ = false;
};

}  // namespace jobhost
