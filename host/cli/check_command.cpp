#include <string>
#include <vector>

#include "config/config_loader.h"
#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/store_access.h"
#include "host/json_writer.h"
#include "host/policy_check.h"
#include "host/settings_from_config.h"
#include "host/version.h"

namespace jobhost::cli {
namespace {

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

/// What the plugins and the configuration say together, for a file that could be read.
PolicyFindings check_loaded(const config::Config& config) {
    const auto plugins = load_plugins(plugin_options(config, kVersion));
    if (!plugins) return {.errors = plugins.error()};
    PolicyFindings findings = check_policies(engine_settings(config, kVersion), plugins->types());
    append(findings.warnings, plugins->warnings());
    return findings;
}

PolicyFindings check_file(const std::string& file) {
    const auto loaded = config::load_config(file);
    if (loaded) return check_loaded(*loaded);
    PolicyFindings findings;
    for (const config::ConfigError& error : loaded.error()) {
        findings.errors.push_back(config::to_string(error));
    }
    return findings;
}

}  // namespace

int run_command(const CheckCommand& command, Context& context) {
    const std::string file = find_config_file(context.config_file).string();
    PolicyFindings findings = check_file(file);
    if (command.strict) {
        append(findings.errors, findings.warnings);
        findings.warnings.clear();
    }
    const bool ok = findings.errors.empty();
    for (const std::string& warning : findings.warnings) complain("warning: " + warning);
    for (const std::string& error : findings.errors) complain(error);
    if (context.json) {
        JsonWriter json;
        json.begin_object()
            .field("ok", ok)
            .field("file", file)
            .field("problems", findings.errors)
            .field("warnings", findings.warnings)
            .end_object();
        context.out.line(json.text());
    } else if (ok) {
        context.out.line(file + " is fine");
    }
    return ok ? kDone : kUsage;
}

}  // namespace jobhost::cli
