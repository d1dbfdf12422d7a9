#include "host/api/pausing.h"

#include "config/suggestion.h"
#include "host/api/known_names.h"
#include "host/api/places.h"
#include "host/api/request_error.h"
#include "host/text/json_writer.h"
#include "storage/enqueue_rules.h"

namespace jobhost::api {
namespace {

/// A pause of something that nobody has heard of yet is stored, but is most likely a slip.
std::string warning_about(Store& store, const config::Config& config, const PauseWish& wish) {
    if (places(place_facts(store), wish.kind).contains(wish.name)) return {};
    const KnownNames known = known_names(store, config);
    const bool is_queue = wish.kind == Pause::Kind::kQueue;
    return "no job and no live node names the " + std::string(noun_of(wish.kind)) + ' ' +
           wish.name + config::did_you_mean(wish.name, is_queue ? known.queues : known.types);
}

}  // namespace

const char* noun_of(Pause::Kind kind) {
    return kind == Pause::Kind::kQueue ? "queue" : "type";
}

PauseAnswer set_pause(Store& store, const config::Config& config, const PauseWish& wish) {
    if (const auto reason = check_name(wish.name)) {
        throw RequestError(RequestError::Kind::kBad,
                           "the name of the " + std::string(noun_of(wish.kind)) + ' ' + *reason);
    }
    PauseAnswer answer;
    if (wish.pausing) {
        answer.warning = warning_about(store, config, wish);
        answer.changed = store.pause(wish.kind, wish.name, wish.service, wish.by);
    } else {
        answer.changed = store.resume(wish.kind, wish.name, wish.service);
    }
    return answer;
}

std::string pause_json(const PauseWish& wish, const PauseAnswer& answer) {
    JsonWriter json;
    json.begin_object()
        .field("name", wish.name)
        .text_or_null("service", wish.service)
        .field("paused", wish.pausing)
        .field("changed", answer.changed);
    if (!answer.warning.empty()) json.field("warning", answer.warning);
    return json.end_object().text();
}

}  // namespace jobhost::api
