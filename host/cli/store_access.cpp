#include "host/cli/store_access.h"

#include <cstdlib>
#include <system_error>
#include <unistd.h>

#include "config/config_loader.h"
#include "host/cli/exit_status.h"
#include "host/settings_from_config.h"

namespace jobhost::cli {
namespace {

constexpr const char* kLocalFile = "jobhost.yaml";
constexpr const char* kSystemFile = "/etc/jobhost/jobhost.yaml";

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

std::filesystem::path find_config_file(const std::string& typed) {
    if (!typed.empty()) return std::filesystem::absolute(typed);
    if (const std::string named = environment("JOBHOST_CONFIG"); !named.empty()) {
        return std::filesystem::absolute(named);
    }
    std::error_code error;
    if (std::filesystem::exists(kLocalFile, error)) return std::filesystem::absolute(kLocalFile);
    if (std::filesystem::exists(kSystemFile, error)) return kSystemFile;
    throw CommandError(kUsage, std::string("no configuration: give -c FILE, set JOBHOST_CONFIG, or "
                                           "write ./") +
                                   kLocalFile + " or " + kSystemFile);
}

config::Config load_configured(const std::string& typed) {
    auto loaded = config::load_config(find_config_file(typed));
    if (!loaded) {
        std::string sentences = config::to_string(loaded.error());
        while (!sentences.empty() && sentences.back() == '\n') sentences.pop_back();
        throw CommandError(kUsage, sentences);
    }
    return *std::move(loaded);
}

StoreAccess::StoreAccess(const std::string& config_file)
    : config_(load_configured(config_file)),
      handle_(open_store(store_options(config_), clock_)),
      session_(handle_->open_session()) {}

std::string acting_user() {
    // The environment, not the user database: that may be a directory server far away.
    for (const char* name : {"SUDO_USER", "USER", "LOGNAME"}) {
        if (std::string user = environment(name); !user.empty()) return user;
    }
    return "uid " + std::to_string(::getuid());
}

}  // namespace jobhost::cli
