#include "host/api/places.h"

#include <algorithm>

namespace jobhost::api {
namespace {

void add_due(Place& place, const DueCount& count) {
    place.due = std::min(place.due + count.due, kDueCap);
    if (!count.oldest_run_at) return;
    if (!place.oldest_run_at || *count.oldest_run_at < *place.oldest_run_at) {
        place.oldest_run_at = count.oldest_run_at;
    }
}

std::vector<std::string> names_of(const Node& node, Pause::Kind kind) {
    if (kind == Pause::Kind::kQueue) return node.registration.queues;
    std::vector<std::string> names;
    for (const NodeType& type : node.registration.types) names.push_back(type.name);
    return names;
}

}  // namespace

PlaceFacts place_facts(Store& store) {
    return {.counts = store.type_counts(),
            .due = store.due_counts(kDueCap),
            .nodes = store.nodes(),
            .pauses = store.pauses()};
}

void add_counts(TypeCounts& sum, const TypeCounts& more) {
    sum.waiting += more.waiting;
    sum.processing += more.processing;
    sum.succeeded += more.succeeded;
    sum.failed += more.failed;
    sum.expired += more.expired;
    sum.cancelled += more.cancelled;
}

Places places(const PlaceFacts& facts, Pause::Kind kind) {
    const bool queues = kind == Pause::Kind::kQueue;
    Places all;
    for (const TypeCounts& counts : facts.counts) {
        add_counts(all[queues ? counts.queue : counts.type].counts, counts);
    }
    for (const DueCount& count : facts.due) add_due(all[queues ? count.queue : count.type], count);
    for (const Node& node : facts.nodes) {
        if (node.state != NodeState::kLive) continue;
        for (const std::string& name : names_of(node, kind)) {
            Place& place = all[name];
            ++place.nodes;
            place.services.insert(node.registration.service);
        }
    }
    for (const Pause& pause : facts.pauses) {
        if (pause.kind == kind) all[pause.name].pauses.push_back(pause);
    }
    return all;
}

void write_place(JsonWriter& json, const std::string& name, const Place& place) {
    const TypeCounts& counts = place.counts;
    json.begin_object()
        .field("name", name)
        .field("waiting", counts.waiting)
        .field("due", place.due)
        .field("due_is_capped", place.due >= kDueCap)
        .field("processing", counts.processing)
        .field("succeeded", counts.succeeded)
        .field("failed", counts.failed)
        .field("expired", counts.expired)
        .field("cancelled", counts.cancelled)
        .field("nodes", place.nodes)
        .field("services", std::vector<std::string>(place.services.begin(), place.services.end()))
        .key("pauses")
        .begin_array();
    for (const Pause& pause : place.pauses) {
        json.begin_object()
            .text_or_null("service", pause.service)
            .field("at", pause.at)
            .text_or_null("by", pause.by)
            .end_object();
    }
    json.end_array().end_object();
}

std::string places_json(const Places& places) {
    JsonWriter json;
    json.begin_object().key("items").begin_array();
    for (const auto& [name, place] : places) write_place(json, name, place);
    json.end_array().key("next").null().end_object();
    return json.text();
}

}  // namespace jobhost::api
