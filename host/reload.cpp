#include "host/reload.h"

#include <utility>

#include "config/config_loader.h"
#include "host/policy_check.h"
#include "host/settings_from_config.h"

namespace jobhost {

tl::expected<Reload, std::vector<std::string>> read_again(const std::string& file,
                                                          const config::Config& running,
                                                          const JobTypes& types,
                                                          const std::string& version) {
    const auto wanted = config::load_config(file);
    if (!wanted) {
        std::vector<std::string> errors;
        for (const config::ConfigError& error : wanted.error()) {
            errors.push_back(config::to_string(error));
        }
        return tl::unexpected(std::move(errors));
    }
    Reload reload;
    reload.config = config::with_live_parts(running, *wanted);
    reload.settings = engine_settings(reload.config, version);
    PolicyFindings findings = check_policies(reload.settings, types);
    if (!findings.errors.empty()) return tl::unexpected(std::move(findings.errors));
    reload.changes = config::changes(running, *wanted);
    reload.warnings = std::move(findings.warnings);
    return reload;
}

}  // namespace jobhost
