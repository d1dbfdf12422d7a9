#include "host/plugin_door.h"

#include <span>
#include <string>
#include <utility>
#include <variant>

#include "host/observe/log.h"
#include "storage/storage_error.h"

namespace jobhost {

HostServices PluginDoor::services() {
    return {.enqueue = [this](NewJob job) { return enqueue(std::move(job)); },
            .log =
                [this](LogLevel level, std::string_view plugin, std::string_view text) {
                    log_.write(level, "plugin " + std::string(plugin) + ": " + std::string(text));
                },
            .log_enabled = [this](LogLevel level) { return log_.enabled(level); }};
}

void PluginDoor::set_store(StoreHandle* store) {
    const std::lock_guard lock(mutex_);
    session_ = store == nullptr ? nullptr : store->open_session();
}

void PluginDoor::set_engine(Engine* engine) {
    const std::lock_guard lock(mutex_);
    engine_ = engine;
}

Asked PluginDoor::enqueue(NewJob job) {
    Engine* engine = nullptr;
    {
        const std::lock_guard lock(mutex_);
        engine = engine_;
        if (engine == nullptr) return enqueue_directly(job);
    }
    // Without the lock: the engine gathers what many threads store at the same time. It outlives
    // this call, because plugins are stopped before it is destroyed.
    return engine->enqueue(std::move(job));
}

Asked PluginDoor::enqueue_directly(const NewJob& job) {
    if (!session_) return {.status = AskStatus::kUnavailable, .why = "the store is not open"};
    try {
        const EnqueueResult result = session_->enqueue(std::span(&job, 1));
        if (const auto* refusal = std::get_if<EnqueueRefusal>(&result)) {
            return {.status = refusal->existing == 0 ? AskStatus::kInvalid : AskStatus::kRefused,
                    .why = refusal->reason,
                    .id = refusal->existing};
        }
        const Enqueued& stored = std::get<std::vector<Enqueued>>(result).front();
        return {.id = stored.id, .duplicate = stored.duplicate};
    } catch (const StorageError& error) {
        return {.status = AskStatus::kUnavailable, .why = error.what()};
    }
}

}  // namespace jobhost
