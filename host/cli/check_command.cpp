#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "config/config_loader.h"
#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/store_access.h"
#include "host/observe/counted.h"
#include "host/policy_check.h"
#include "host/settings_from_config.h"
#include "host/text/json_writer.h"
#include "host/version.h"

namespace jobhost::cli {
namespace {

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

struct FoundPlugin {
    std::string name = {};  // and version
    std::vector<std::string> types = {};
};

struct Found {
    std::vector<std::string> errors = {};
    std::vector<std::string> warnings = {};
    std::vector<FoundPlugin> plugins = {};
};

std::vector<FoundPlugin> plugins_of(const JobTypes& types) {
    std::vector<FoundPlugin> found;
    for (const std::string& name : types.plugins) {
        FoundPlugin& plugin = found.emplace_back(FoundPlugin{.name = name});
        for (const LoadedType& type : types.types) {
            if (type.plugin == name) plugin.types.push_back(type.name);
        }
    }
    return found;
}

/// What the plugins and the configuration say together, for a file that could be read.
Found check_loaded(const config::Config& config) {
    const auto plugins = load_plugins(plugin_options(config, kVersion));
    if (!plugins) return {.errors = plugins.error()};
    PolicyFindings policies = check_policies(engine_settings(config, kVersion), plugins->types());
    Found found{.errors = std::move(policies.errors),
                .warnings = std::move(policies.warnings),
                .plugins = plugins_of(plugins->types())};
    append(found.warnings, plugins->warnings());
    if (found.plugins.empty()) {
        found.warnings.emplace_back("no plugin is configured: a host would run no job");
    }
    return found;
}

Found check_file(const std::string& file) {
    const auto loaded = config::load_config(file);
    if (loaded) return check_loaded(*loaded);
    Found found;
    for (const config::ConfigError& error : loaded.error()) {
        found.errors.push_back(config::to_string(error));
    }
    return found;
}

void print(const Found& found, const std::string& file, bool ok, Context& context) {
    if (!context.json) {
        if (ok) context.out.line(file + " is fine");
        for (const FoundPlugin& plugin : found.plugins) {
            context.out.line("plugin " + plugin.name + ", " +
                             counted(std::ssize(plugin.types), "type") + ':');
            for (const std::string& type : plugin.types) context.out.line("  " + type);
        }
        return;
    }
    JsonWriter json;
    json.begin_object()
        .field("ok", ok)
        .field("file", file)
        .field("problems", found.errors)
        .field("warnings", found.warnings)
        .key("plugins")
        .begin_array();
    for (const FoundPlugin& plugin : found.plugins) {
        json.begin_object().field("plugin", plugin.name).field("types", plugin.types).end_object();
    }
    context.out.document(json.end_array().end_object().text());
}

}  // namespace

int run_command(const CheckCommand& command, Context& context) {
    const std::string file = find_config_file(context.config_file).string();
    Found found = check_file(file);
    if (command.strict) {
        append(found.errors, found.warnings);
        found.warnings.clear();
    }
    const bool ok = found.errors.empty();
    for (const std::string& warning : found.warnings) complain("warning: " + warning);
    for (const std::string& error : found.errors) complain(error);
    print(found, file, ok, context);
    return ok ? kDone : kUsage;
}

}  // namespace jobhost::cli
