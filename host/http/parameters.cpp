#include "host/http/parameters.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "host/api/request_error.h"

namespace jobhost::http {
namespace {

using api::RequestError;

[[noreturn]] void refuse(const std::string& sentence) {
    throw RequestError(RequestError::Kind::kBad, sentence);
}

}  // namespace

std::vector<std::string> QueryParameters::texts(std::string_view name) {
    std::vector<std::string> found;
    const auto [begin, end] = left_.equal_range(name);
    for (auto at = begin; at != end; ++at) {
        if (at->second.empty())
            refuse(std::string(name) + " is empty: give a value, or leave it out");
        found.push_back(at->second);
    }
    left_.erase(begin, end);
    return found;
}

std::string QueryParameters::text(std::string_view name) {
    std::vector<std::string> found = texts(name);
    if (found.size() > 1) refuse(std::string(name) + " stands there twice");
    return found.empty() ? "" : std::move(found.front());
}

int QueryParameters::number(std::string_view name, int unless_given, int least, int most) {
    const std::string words = text(name);
    if (words.empty()) return unless_given;
    int number = 0;
    const char* end = words.data() + words.size();
    const auto [stop, error] = std::from_chars(words.data(), end, number);
    if (error != std::errc() || stop != end || number < least || number > most) {
        refuse(std::string(name) + ' ' + words + ": give a whole number from " +
               std::to_string(least) + " to " + std::to_string(most));
    }
    return number;
}

bool QueryParameters::truth(std::string_view name, bool unless_given) {
    const std::string words = text(name);
    if (words.empty()) return unless_given;
    if (words != "true" && words != "false") {
        refuse(std::string(name) + ' ' + words + ": give true or false");
    }
    return words == "true";
}

void QueryParameters::end() const {
    if (!left_.empty()) refuse("the parameter " + left_.begin()->first + " is not known");
}

BodyParameters::BodyParameters(std::string_view json, std::string what)
    : text_(json), what_(std::move(what)) {
    if (text_.find_first_not_of(" \t\r\n") == std::string::npos) return;
    auto parsed = json_members(text_);
    if (const auto* mistake = std::get_if<JsonMistake>(&parsed)) {
        refuse((what_.empty() ? "the body" : what_) +
               " is not a JSON object: " + mistake->sentence());
    }
    left_ = std::get<std::vector<JsonMember>>(std::move(parsed));
    if (const JsonMember* repeated = find_repeated_key(left_)) {
        refuse("the key " + json_string(repeated->key) + " stands there twice");
    }
}

std::string BodyParameters::named(std::string_view name) const {
    return what_.empty() ? std::string(name) : what_ + '.' + std::string(name);
}

std::optional<std::string_view> BodyParameters::take(std::string_view name) {
    const auto found = std::ranges::find(left_, name, &JsonMember::key);
    if (found == left_.end()) return std::nullopt;
    const std::string_view value = found->value;
    left_.erase(found);
    if (value == "null") return std::nullopt;
    return value;
}

std::string BodyParameters::text(std::string_view name) {
    const auto value = take(name);
    if (!value) return {};
    auto text = json_string_value(*value);
    if (!text) refuse(named(name) + " must be a string");
    return *std::move(text);
}

bool BodyParameters::truth(std::string_view name) {
    const auto value = take(name);
    if (!value) return false;
    if (*value != "true" && *value != "false") refuse(named(name) + " must be true or false");
    return *value == "true";
}

std::optional<std::vector<std::string>> BodyParameters::texts(std::string_view name) {
    const auto value = take(name);
    if (!value) return std::nullopt;
    const auto elements = json_elements(*value);
    const auto* all = std::get_if<std::vector<std::string_view>>(&elements);
    std::vector<std::string> found;
    for (std::size_t i = 0; all != nullptr && i < all->size(); ++i) {
        auto text = json_string_value((*all)[i]);
        if (!text) refuse(named(name) + " must be an array of strings");
        found.push_back(*std::move(text));
    }
    if (all == nullptr) refuse(named(name) + " must be an array of strings");
    return found;
}

std::optional<std::string> BodyParameters::json(std::string_view name) {
    const auto value = take(name);
    if (!value) return std::nullopt;
    return std::string(*value);
}

void BodyParameters::end() const {
    if (!left_.empty()) {
        refuse("the key " + json_string(named(left_.front().key)) + " is not known");
    }
}

}  // namespace jobhost::http
