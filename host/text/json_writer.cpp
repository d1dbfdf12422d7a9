#include "host/text/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "host/text/time_text.h"
#include "storage/check.h"
#include "storage/json_text.h"

namespace jobhost {

void JsonWriter::before_value() {
    if (std::exchange(after_key_, false)) return;
    if (has_items_.empty()) return;
    if (has_items_.back()) text_ += ',';
    has_items_.back() = true;
}

void JsonWriter::close(char bracket) {
    JOBHOST_CHECK(!has_items_.empty() && !after_key_);
    has_items_.pop_back();
    text_ += bracket;
}

JsonWriter& JsonWriter::begin_object() {
    before_value();
    text_ += '{';
    has_items_.push_back(false);
    return *this;
}

JsonWriter& JsonWriter::end_object() {
    close('}');
    return *this;
}

JsonWriter& JsonWriter::begin_array() {
    before_value();
    text_ += '[';
    has_items_.push_back(false);
    return *this;
}

JsonWriter& JsonWriter::end_array() {
    close(']');
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    JOBHOST_CHECK(!has_items_.empty() && !after_key_);
    before_value();
    append_json_string(text_, name);
    text_ += ':';
    after_key_ = true;
    return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
    before_value();
    append_json_string(text_, text);
    return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
    before_value();
    text_ += truth ? "true" : "false";
    return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
    before_value();
    text_ += std::to_string(number);
    return *this;
}

JsonWriter& JsonWriter::value(double number) {
    if (!std::isfinite(number)) return null();
    std::array<char, 64> digits = {};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return raw(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
}

JsonWriter& JsonWriter::value(TimePoint time) {
    return value(time_text(time));
}

JsonWriter& JsonWriter::null() {
    return raw("null");
}

JsonWriter& JsonWriter::raw(std::string_view json) {
    before_value();
    text_ += json;
    return *this;
}

JsonWriter& JsonWriter::id(std::int64_t id) {
    return id == 0 ? null() : value(std::to_string(id));
}

JsonWriter& JsonWriter::seconds(Duration duration) {
    // By integers: a double would show 0.1 + 0.2.
    const std::int64_t count = duration.count();
    std::string text = count < 0 ? "-" : "";
    text += std::to_string(std::llabs(count / 1'000'000));
    std::string micros = std::to_string(std::llabs(count % 1'000'000));
    micros.insert(0, 6 - micros.size(), '0');
    while (!micros.empty() && micros.back() == '0') micros.pop_back();
    if (!micros.empty()) text += '.' + micros;
    return raw(text);
}

JsonWriter& JsonWriter::value(const std::vector<std::string>& texts) {
    begin_array();
    for (const std::string& text : texts) value(text);
    return end_array();
}

JsonWriter& JsonWriter::text_or_null(std::string_view name, std::string_view text) {
    key(name);
    return text.empty() ? null() : value(text);
}

std::string JsonWriter::take() {
    return std::exchange(text_, {});
}

}  // namespace jobhost
