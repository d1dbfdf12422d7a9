#include "host/plugin/try_plugins.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <signal.h>
#include <string_view>
#include <unistd.h>
#include <variant>

#include <sys/prctl.h>
#include <sys/resource.h>

#include "host/plugin/plugin_library.h"
#include "host/plugin/probe_child.h"
#include "storage/json_text.h"

namespace jobhost {
namespace {

constexpr std::size_t kMostQuoted = 500;  // bytes of what the child said last

// ---- the line that crosses: {"file":..,"name":..,"version":..,"types":[..],"errors":[..]}
// --------

void append_list(std::string& line, const std::vector<std::string>& texts) {
    line += '[';
    for (const std::string& text : texts) {
        if (line.back() != '[') line += ',';
        append_json_string(line, text);
    }
    line += ']';
}

std::string result_line(const ProbedPlugin& probed) {
    std::string line = "{\"file\":" + json_string(probed.file.string());
    line += ",\"name\":" + json_string(probed.name);
    line += ",\"version\":" + json_string(probed.version);
    line += ",\"types\":";
    append_list(line, probed.types);
    line += ",\"errors\":";
    append_list(line, probed.errors);
    return line + "}\n";
}

std::vector<std::string> read_list(std::string_view json) {
    std::vector<std::string> texts;
    const auto elements = json_elements(json);
    if (const auto* list = std::get_if<std::vector<std::string_view>>(&elements)) {
        for (const std::string_view element : *list) {
            texts.push_back(json_string_value(element).value_or(""));
        }
    }
    return texts;
}

std::optional<ProbedPlugin> read_result(std::string_view line, const std::filesystem::path& file) {
    const auto parsed = json_members(line);
    const auto* members = std::get_if<std::vector<JsonMember>>(&parsed);
    if (members == nullptr) return std::nullopt;
    ProbedPlugin probed;
    for (const JsonMember& member : *members) {
        if (member.key == "file") probed.file = json_string_value(member.value).value_or("");
        if (member.key == "name") probed.name = json_string_value(member.value).value_or("");
        if (member.key == "version") probed.version = json_string_value(member.value).value_or("");
        if (member.key == "types") probed.types = read_list(member.value);
        if (member.key == "errors") probed.errors = read_list(member.value);
    }
    if (probed.file != file) return std::nullopt;
    return probed;
}

// ---- the parent's side --------------------------------------------------------------------------

/// The end of what the child wrote to standard error, on one line.
std::string last_words(const std::string& errors) {
    std::string text = errors.substr(errors.size() - std::min(errors.size(), kMostQuoted));
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    std::string line;
    for (const char c : text) {
        if (c == '\n') {
            line += " | ";
        } else {
            line += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
        }
    }
    return line.empty() ? line : "; it said: " + line;
}

std::string how_it_ended(const ChildEnd& end, std::chrono::milliseconds limit) {
    if (end.timed_out) {
        return "did not come back within " + std::to_string(limit.count()) + " ms";
    }
    if (end.signal != 0) {
        const char* name = ::sigabbrev_np(end.signal);
        return "crashed with signal " + std::to_string(end.signal) +
               (name != nullptr ? " (SIG" + std::string(name) + ")" : std::string());
    }
    return "ended the process with exit status " + std::to_string(end.exit_code);
}

ProbedPlugin try_plugin(const std::filesystem::path& file, const ProbeOptions& options) {
    const ChildEnd end =
        run_child(options.executable, {kProbeCommand, file.string()}, options.limit);
    const std::string_view out = end.out;
    const bool ended_well = !end.timed_out && end.signal == 0 && end.exit_code == 0;
    const auto probed = read_result(out.substr(0, out.find('\n')), file);
    if (probed && (ended_well || !probed->errors.empty())) return *probed;
    return {.file = file,
            .errors = {file.string() + ": when it was tried in a process of its own, the library " +
                       how_it_ended(end, options.limit) +
                       " while it was loaded and described (look at its static initialisers)" +
                       last_words(end.errors)}};
}

// ---- the child's side ---------------------------------------------------------------------------

ProbedPlugin probe(const std::string& file) {
    ProbedPlugin probed;
    probed.file = file;
    const auto plugin = open_plugin_library(file);
    if (!plugin) {
        probed.errors = plugin.error();
        return probed;
    }
    const PluginDescription& description = (*plugin)->description;
    probed.name = description.name;
    probed.version = description.version;
    for (const DescribedType& type : description.types) probed.types.push_back(type.name);
    return probed;
}

/// Keeps the real standard output for the results; what libraries print there must not mix with
/// them.
int take_standard_output() {
    const int results = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    return results;
}

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace

std::vector<ProbedPlugin> try_plugins(std::span<const std::filesystem::path> files,
                                      const ProbeOptions& options) {
    std::vector<ProbedPlugin> tried;
    for (const std::filesystem::path& file : files) tried.push_back(try_plugin(file, options));
    return tried;
}

int run_plugin_probe(std::span<const std::string> files) {
    // A crash here is an expected answer: no core file for it.
    constexpr rlimit kNoCore = {0, 0};
    ::setrlimit(RLIMIT_CORE, &kNoCore);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int results = take_standard_output();
    for (const std::string& file : files) {
        if (!write_all(results, result_line(probe(file)))) return 1;
    }
    return 0;
}

}  // namespace jobhost
