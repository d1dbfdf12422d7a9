#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace jobhost {

// JSON as text. A job's input must stay the bytes that were enqueued, and numbers that no library
// can hold (1e400) are JSON all the same; so texts are checked and cut here, never parsed into
// values.

/// Where and why a text is not JSON.
struct JsonMistake {
    std::size_t offset = 0;  // in bytes, from 0
    std::string what = {};
    /// `expected a value at byte 17`
    std::string sentence() const;
};

/// What a limit on nesting counts from.
enum class JsonDepth {
    kValue,    // the text's own value
    kMembers,  // the values of its members: the object around them does not count
};

/// nullopt when the text is one JSON value (RFC 8259, strict UTF-8, nested at most kMaxJsonDepth
/// deep) with nothing but white space around it. Escaped lone surrogates are accepted, as the
/// grammar does; a byte order mark is not.
std::optional<JsonMistake> find_json_mistake(std::string_view text,
                                             JsonDepth depth = JsonDepth::kValue);

/// One member of an object.
struct JsonMember {
    std::string key = {};         // decoded
    std::string_view value = {};  // its exact bytes, without the white space around them
    std::size_t key_offset = 0;   // in the object's text
};

/// The members of the outermost object in the order of the text, repeated keys included. The values
/// are views into `text`. A mistake when the text is not JSON or not an object.
std::variant<std::vector<JsonMember>, JsonMistake> json_members(std::string_view text);

/// The elements of the outermost array, as exact bytes: views into `text`.
std::variant<std::vector<std::string_view>, JsonMistake> json_elements(std::string_view text);

/// The first member whose key already stood before it; nullptr when all keys differ.
const JsonMember* find_repeated_key(const std::vector<JsonMember>& members);

/// What a JSON string (valid, with its quotes) says; nullopt for any other value. Lone surrogates
/// become U+FFFD.
std::optional<std::string> json_string_value(std::string_view json);

/// Appends `text` as a JSON string with its quotes. Always valid JSON: bytes that are not UTF-8
/// become U+FFFD.
void append_json_string(std::string& out, std::string_view text);
std::string json_string(std::string_view text);

}  // namespace jobhost
