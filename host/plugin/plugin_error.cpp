#include "host/plugin/plugin_error.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "host/plugin/abi_values.h"
#include "host/plugin/symboliser.h"

namespace jobhost {
namespace {

constexpr std::size_t kMostMessageBytes = std::size_t{16} * 1024;
constexpr std::size_t kMostStackBytes = std::size_t{64} * 1024;
constexpr std::size_t kMostTypeBytes = 1024;
constexpr std::size_t kMostBases = 64;
constexpr int kMostLevels = 8;
constexpr std::size_t kMostElements = 16;  // of an aggregate that are told

/// At most `limit` bytes, cut between characters, and says so.
std::string cut(std::string_view text, std::size_t limit) {
    if (text.size() <= limit) return std::string(text);
    constexpr std::string_view kMark = " [cut]";
    std::size_t end = limit - kMark.size();
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return std::string(text.substr(0, end)) + std::string(kMark);
}

std::vector<std::string> types_of(const jobhost_error& error) {
    std::vector<std::string> types{cut(view_of(error.type), kMostTypeBytes)};
    if (error.bases == nullptr) return types;
    for (std::size_t i = 0; i < std::min(error.n_bases, kMostBases); ++i) {
        if (is_readable(error.bases[i]) && error.bases[i].len > 0) {
            types.push_back(cut(view_of(error.bases[i]), kMostTypeBytes));
        }
    }
    return types;
}

/// The causes that can be read; a list that lies about its length or holds broken elements is the
/// plugin's mistake, but the error itself is still worth reporting.
std::vector<jobhost_error> causes_of(const jobhost_error& error) {
    std::vector<jobhost_error> causes;
    if (error.causes == nullptr) return causes;
    for (std::size_t i = 0; i < std::min(error.n_causes, kMostElements); ++i) {
        const jobhost_error* cause = error.causes[i];
        if (cause == nullptr || !has_first_size(*cause)) continue;
        if (!is_readable(cause->type) || !is_readable(cause->message)) continue;
        causes.push_back(read_struct(*cause));
    }
    return causes;
}

bool is_aggregate_of_several(const jobhost_error& error) {
    return (error.flags & JOBHOST_ERROR_AGGREGATE) != 0 && error.n_causes > 1;
}

std::string type_and_message(const jobhost_error& error) {
    return std::string(view_of(error.type)) + ": " + std::string(view_of(error.message));
}

void follow_causes(const jobhost_error& error, ThrownError& out) {
    jobhost_error outer = error;
    for (int level = 0; level < kMostLevels; ++level) {
        const auto causes = causes_of(outer);
        if (causes.empty()) return;
        if (is_aggregate_of_several(outer)) {
            for (const jobhost_error& element : causes) {
                out.error.message += "; among them " + type_and_message(element);
            }
            return;
        }
        out.causes.push_back(types_of(causes.front()));
        out.error.message += "; caused by " + type_and_message(causes.front());
        outer = causes.front();
    }
}

std::string stack_of(const jobhost_error& error) {
    if (is_readable(error.stack) && error.stack.len > 0) {
        return cut(view_of(error.stack), kMostStackBytes);
    }
    if (error.frames == nullptr || error.n_frames == 0) return {};
    return cut(stack_trace_text(std::span(error.frames, error.n_frames)), kMostStackBytes);
}

/// nullopt: the error can be read.
std::optional<std::string> broken_rule(const jobhost_error& error) {
    if (!has_first_size(error)) {
        return "the plugin reported an error with struct_size " +
               std::to_string(error.struct_size) + "; it must be at least " +
               std::to_string(kFirstSize<jobhost_error>);
    }
    if (!is_readable(error.type) || !is_readable(error.message)) {
        return "the plugin reported an error with a text that is NULL but has a length";
    }
    if (error.type.len == 0) {
        return "the plugin reported an error without a type: " +
               cut(view_of(error.message), kMostMessageBytes / 2);
    }
    return std::nullopt;
}

}  // namespace

ThrownError contract_error(std::string message) {
    return host_error(kPluginContractError, std::move(message));
}

ThrownError thrown_error(const jobhost_error& reported) {
    if (auto rule = broken_rule(reported)) return contract_error(std::move(*rule));
    const jobhost_error error = read_struct(reported);

    ThrownError out;
    out.error.types = types_of(error);
    out.error.type = out.error.types.front();
    out.error.message = text_of(error.message);
    follow_causes(error, out);
    out.error.message = cut(out.error.message, kMostMessageBytes);
    out.error.stack_trace = stack_of(error);
    if ((error.flags & JOBHOST_ERROR_RETRY_AFTER) != 0 && error.retry_after_us >= 0) {
        out.retry_after = Duration(error.retry_after_us);
    }
    return out;
}

std::string one_line(const jobhost_error& reported) {
    if (auto rule = broken_rule(reported)) return *rule;
    const jobhost_error error = read_struct(reported);
    ThrownError out;
    out.error.message = type_and_message(error);
    follow_causes(error, out);
    return cut(out.error.message, kMostMessageBytes);
}

}  // namespace jobhost
