#include "host/api/new_job_json.h"

#include <optional>
#include <utility>
#include <variant>

#include "host/api/new_job_options.h"
#include "storage/json_text.h"

namespace jobhost::api {
namespace {

using Mistake = std::optional<std::string>;

bool is_number(std::string_view json) {
    return json.front() == '-' || (json.front() >= '0' && json.front() <= '9');
}

Mistake read_type(NewJob& job, std::string_view json) {
    auto text = json_string_value(json);
    if (!text) return "type must be a string";
    job.type = *std::move(text);
    return std::nullopt;
}

Mistake read_tags(NewJob& job, std::string_view json) {
    if (json == "null") return std::nullopt;
    const auto elements = json_elements(json);
    if (const auto* values = std::get_if<std::vector<std::string_view>>(&elements)) {
        for (const std::string_view value : *values) {
            auto tag = json_string_value(value);
            if (!tag) return "tags must be an array of strings";
            job.tags.push_back(*std::move(tag));
        }
        return std::nullopt;
    }
    return "tags must be an array of strings";
}

Mistake read_option(NewJob& job, const std::string& key, std::string_view json) {
    const OptionForm form = option_form(key);
    if (form == OptionForm::kUnknown) return "the key " + json_string(key) + " is not known";
    if (json == "null") return std::nullopt;
    if (form != OptionForm::kText && is_number(json)) {
        return set_option(job, key, std::string(json));
    }
    if (form == OptionForm::kNumber) return key + " must be a number";
    const auto text = json_string_value(json);
    if (!text) return key + " must be a string";
    return set_option(job, key, *text);
}

Mistake read_member(NewJob& job, const JsonMember& member) {
    if (member.key == "input") {
        job.input = member.value;
        return std::nullopt;
    }
    if (member.key == "type") return read_type(job, member.value);
    if (member.key == "tags") return read_tags(job, member.value);
    return read_option(job, member.key, member.value);
}

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

tl::expected<NewJob, std::string> parse_new_job(std::string_view json, const std::string& source) {
    const auto parsed = json_members(json);
    if (const auto* mistake = std::get_if<JsonMistake>(&parsed)) {
        return tl::unexpected("not a JSON object: " + mistake->sentence());
    }
    const auto& members = std::get<std::vector<JsonMember>>(parsed);
    if (const JsonMember* repeated = find_repeated_key(members)) {
        return tl::unexpected("the key " + json_string(repeated->key) + " stands there twice");
    }
    NewJob job{.source = source};
    bool has_type = false;
    for (const JsonMember& member : members) {
        has_type = has_type || member.key == "type";
        if (auto mistake = read_member(job, member)) return tl::unexpected(*std::move(mistake));
    }
    if (!has_type) return tl::unexpected(std::string("the key \"type\" is missing"));
    return job;
}

tl::expected<BulkJobs, std::string> parse_bulk(std::string_view text, const std::string& source) {
    BulkJobs bulk;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (is_blank(line)) continue;
        auto job = parse_new_job(line, source);
        if (!job) return tl::unexpected("line " + std::to_string(number) + ": " + job.error());
        bulk.jobs.push_back(*std::move(job));
        bulk.lines.push_back(number);
    }
    return bulk;
}

tl::expected<BulkJobs, std::string> parse_bulk_array(std::string_view text,
                                                     const std::string& source) {
    const auto parsed = json_members(text);
    if (const auto* mistake = std::get_if<JsonMistake>(&parsed)) {
        return tl::unexpected("not a JSON object: " + mistake->sentence());
    }
    const auto& members = std::get<std::vector<JsonMember>>(parsed);
    if (members.size() != 1 || members.front().key != "jobs") {
        return tl::unexpected(std::string("the object must have one key, \"jobs\""));
    }
    const auto elements = json_elements(members.front().value);
    const auto* all = std::get_if<std::vector<std::string_view>>(&elements);
    if (all == nullptr) return tl::unexpected(std::string("jobs must be an array"));
    BulkJobs bulk;
    for (std::size_t index = 0; index < all->size(); ++index) {
        auto job = parse_new_job((*all)[index], source);
        if (!job) return tl::unexpected("/jobs/" + std::to_string(index) + ": " + job.error());
        bulk.jobs.push_back(*std::move(job));
        bulk.lines.push_back(index);
    }
    return bulk;
}

}  // namespace jobhost::api
