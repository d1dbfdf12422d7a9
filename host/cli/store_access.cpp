#include "host/cli/store_access.h"

#include <cstdlib>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "config/config_loader.h"
#include "config/storage_reader.h"
#include "host/api/known_names.h"
#include "host/cli/exit_status.h"
#include "host/cli/output.h"
#include "host/engine/node_proof.h"
#include "host/settings_from_config.h"
#include "storage/storage_error.h"

namespace jobhost::cli {
namespace {

constexpr const char* kLocalFile = "jobhost.yaml";
constexpr const char* kSystemFile = "/etc/jobhost/jobhost.yaml";

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

[[noreturn]] void refuse_missing(const std::string& place) {
    throw CommandError(kNotFound,
                       "there is no store at " + place +
                           " yet; `jobhost run`, `enqueue`, a pause and `migrate` make it");
}

void check_file(const config::StorageConfig& storage) {
    if (storage.path.empty()) return;  // no file
    std::error_code error;
    const auto status = std::filesystem::status(storage.path, error);
    if (status.type() == std::filesystem::file_type::not_found) refuse_missing(storage.path);
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

StoreAccess::StoreAccess(const std::string& config_file, Missing missing)
    : StoreAccess(load_configured(config_file), missing) {}

StoreAccess::StoreAccess(config::Config config, Missing missing) : config_(std::move(config)) {
    if (missing == Missing::kRefuse) check_file(config_.storage);
    try {
        handle_ = open_store(store_options(config_), clock_, missing == Missing::kCreate);
    } catch (const StorageError& error) {
        if (error.kind() != StorageError::Kind::kMissing) throw;
        refuse_missing(config::shown_url(config_.storage) + ", schema " + config_.storage.schema);
    }
    session_ = handle_->open_session();
}

void StoreAccess::bury_dead_nodes() {
    LockFileProof proof;
    std::vector<std::pair<Node, NodeFileLook>> suspects;
    for (Node& node : session_->nodes()) {
        if (node.state != NodeState::kLive) continue;
        const NodeFileLook look = proof.look(node.registration);
        if (look.exists && !look.locked) suspects.emplace_back(std::move(node), look);
    }
    if (suspects.empty()) return;
    std::this_thread::sleep_for(kNodeFileSilence);
    for (const auto& [node, before] : suspects) {
        const NodeFileLook look = proof.look(node.registration);
        if (!look.exists || look.locked || look.beats != before.beats) continue;
        session_->declare_dead(node.id, node.beats, kEndedWithoutGoodbye);
    }
}

void warn_of_unknown_names(const api::FilterWords& filter, StoreAccess& access) {
    for (const auto& sentence : api::unknown_names(filter, access.store(), access.config())) {
        complain("warning: " + sentence);
    }
}

std::string acting_user() {
    // The environment, not the user database: that may be a directory server far away.
    for (const char* name : {"SUDO_USER", "USER", "LOGNAME"}) {
        if (std::string user = environment(name); !user.empty()) return user;
    }
    return "uid " + std::to_string(::getuid());
}

}  // namespace jobhost::cli
