#include "host/request_desk.h"

#include <optional>
#include <utility>

#include "host/engine/thread_name.h"
#include "host/explanation.h"
#include "host/reload.h"
#include "host/settings_from_config.h"
#include "host/text/json_writer.h"
#include "storage/json_text.h"
#include "storage/storage_error.h"

namespace jobhost {
namespace {

RequestAnswer refusal(const std::vector<std::string>& errors) {
    JsonWriter json;
    json.begin_object().field("errors", errors).end_object();
    return {.ok = false, .body = json.take()};
}

std::string body_of(const Reload& reload) {
    JsonWriter json;
    json.begin_object().key("changes").begin_array();
    for (const config::Change& change : reload.changes.live) {
        json.begin_object()
            .field("key", change.key)
            .field("before", change.before)
            .field("after", change.after)
            .end_object();
    }
    json.end_array()
        .field("needs_restart", reload.changes.needs_restart)
        .field("warnings", reload.warnings)
        .end_object();
    return json.take();
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

/// The text that a member of an object holds.
std::optional<std::string> member_text(const std::string& object, std::string_view key) {
    const auto members = json_members(object);
    if (const auto* found = std::get_if<std::vector<JsonMember>>(&members)) {
        for (const JsonMember& member : *found) {
            if (member.key == key) return json_string_value(member.value);
        }
    }
    return std::nullopt;
}

}  // namespace

RequestDesk::RequestDesk(config::Config running, std::string config_file, std::string version,
                         Log& log)
    : config_file_(std::move(config_file)),
      version_(std::move(version)),
      log_(log),
      running_(std::move(running)),
      settings_(engine_settings(running_, version_)) {}

void RequestDesk::open(const Host& host) {
    thread_ = std::jthread([this, host](const std::stop_token& stop) { work(host, stop); });
}

void RequestDesk::close() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
    session_.reset();
}

void RequestDesk::ask(const NodeRequest& request) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(request);
    changed_.notify_one();
}

void RequestDesk::reload(const std::string& by) {
    ask({.kind = NodeRequest::Kind::kReload, .by = by});
}

void RequestDesk::work(const Host& host, const std::stop_token& stop) {
    name_this_thread("requests");
    while (true) {
        NodeRequest request;
        {
            std::unique_lock lock(mutex_);
            if (!changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
            if (stop.stop_requested()) return;
            request = std::move(waiting_.front());
            waiting_.pop_front();
        }
        answer(host, request, serve(host, request));
    }
}

RequestAnswer RequestDesk::serve(const Host& host, const NodeRequest& request) {
    try {
        switch (request.kind) {
            case NodeRequest::Kind::kReload: return read_configuration(host, request.by);
            case NodeRequest::Kind::kExplain: return explain(host, request.argument);
            case NodeRequest::Kind::kCancelJob: break;  // the engine's own
        }
        return refusal({"this version of jobhost does not know the request"});
    } catch (const std::exception& error) {
        log_.write(LogLevel::kError,
                   "a request of " + request.by + " could not be served: " + error.what());
        return refusal({error.what()});
    }
}

RequestAnswer RequestDesk::read_configuration(const Host& host, const std::string& by) {
    auto reload = read_again(config_file_, running_, host.types, version_);
    if (!reload) {
        for (const std::string& error : reload.error()) log_.write(LogLevel::kError, error);
        log_.write(LogLevel::kError,
                   "reload asked for by " + by +
                       ": nothing has changed, since the configuration has errors");
        return refusal(reload.error());
    }
    const config::Changes& changes = reload->changes;
    // Also without any change: what `explain` says of lines in the file may have moved.
    host.engine.apply(reload->settings);
    log_.set(log_options(reload->config));
    running_ = reload->config;
    settings_ = reload->settings;

    for (const std::string& warning : reload->warnings) log_.write(LogLevel::kWarning, warning);
    for (const config::Change& change : changes.live) {
        log_.write(LogLevel::kInfo,
                   "reload: " + change.key + ": " + change.before + " -> " + change.after);
    }
    if (!changes.needs_restart.empty()) {
        log_.write(LogLevel::kWarning,
                   "reload: a restart is needed for changes of " + joined(changes.needs_restart));
    }
    const std::size_t count = changes.live.size();
    log_.write(LogLevel::kInfo,
               "reload asked for by " + by + ": " +
                   (count == 0 ? "nothing has changed"
                               : std::to_string(count) + (count == 1 ? " change" : " changes") +
                                     " in force"));
    return {.ok = true, .body = body_of(*reload)};
}

RequestAnswer RequestDesk::explain(const Host& host, const std::string& argument) {
    const std::optional<std::string> type = member_text(argument, "type");
    if (!type) return refusal({"the request names no type"});
    const auto explained =
        explain_type(settings_, host.types, *type, member_text(argument, "queue"));
    if (!explained) return refusal({explained.error()});
    return {.ok = true, .body = explained->document};
}

void RequestDesk::answer(const Host& host, const NodeRequest& request,
                         const RequestAnswer& answer) {
    if (request.id == 0) return;
    try {
        if (!session_) session_ = host.store.open_session();
        session_->answer_request(request.id, answer);
    } catch (const StorageError& error) {  // who asked gives up waiting, and asks again
        session_.reset();
        log_.write(LogLevel::kWarning, "the answer to a request of " + request.by +
                                           " could not be stored: " + error.what());
    }
}

}  // namespace jobhost
