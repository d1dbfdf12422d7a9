#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/suggestion.h"
#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/known_names.h"
#include "host/cli/store_access.h"
#include "host/cli/text_table.h"
#include "host/text/json_writer.h"
#include "host/text/time_text.h"
#include "storage/enqueue_rules.h"

namespace jobhost::cli {
namespace {

constexpr std::int64_t kDueCap = 10'000;

/// A queue or a type, from all that the store says about it.
struct Place {
    TypeCounts counts = {};
    std::int64_t due = 0;  // stops at the cap
    int nodes = 0;         // live ones
    std::set<std::string> services = {};
    std::vector<Pause> pauses = {};
};
using Places = std::map<std::string, Place>;

void add_counts(Places& places, Store& store, bool queues) {
    for (const TypeCounts& counts : store.type_counts()) {
        TypeCounts& sum = places[queues ? counts.queue : counts.type].counts;
        sum.waiting += counts.waiting;
        sum.processing += counts.processing;
        sum.succeeded += counts.succeeded;
        sum.failed += counts.failed;
        sum.expired += counts.expired;
        sum.cancelled += counts.cancelled;
    }
    for (const DueCount& count : store.due_counts(kDueCap)) {
        std::int64_t& due = places[queues ? count.queue : count.type].due;
        due = std::min(due + count.due, kDueCap);
    }
}

void add_nodes(Places& places, Store& store, bool queues) {
    for (const Node& node : store.nodes()) {
        if (node.state != NodeState::kLive) continue;
        std::vector<std::string> names = node.registration.queues;
        if (!queues) {
            names.clear();
            for (const NodeType& type : node.registration.types) names.push_back(type.name);
        }
        for (const std::string& name : names) {
            ++places[name].nodes;
            places[name].services.insert(node.registration.service);
        }
    }
}

Places gather(Store& store, Pause::Kind kind) {
    const bool queues = kind == Pause::Kind::kQueue;
    Places places;
    add_counts(places, store, queues);
    add_nodes(places, store, queues);
    for (const Pause& pause : store.pauses()) {
        if (pause.kind == kind) places[pause.name].pauses.push_back(pause);
    }
    return places;
}

std::string due_text(std::int64_t due) {
    return due >= kDueCap ? std::to_string(kDueCap) + '+' : std::to_string(due);
}

std::string pauses_text(const Place& place) {
    std::string text;
    for (const Pause& pause : place.pauses) {
        if (!text.empty()) text += ", ";
        text += (pause.service.empty() ? "everywhere" : "service " + pause.service) + " since " +
                time_text(pause.at);
    }
    return text;
}

void print_places(const Places& places, bool queues, Output& out) {
    using enum TextTable::Align;
    TextTable table({{queues ? "QUEUE" : "TYPE"},
                     {"WAITING", kRight},
                     {"DUE", kRight},
                     {"PROCESSING", kRight},
                     {"SUCCEEDED", kRight},
                     {"FAILED", kRight},
                     {"EXPIRED", kRight},
                     {"CANCELLED", kRight},
                     {"NODES", kRight},
                     {"PAUSED"}});
    for (const auto& [name, place] : places) {
        const TypeCounts& counts = place.counts;
        table.add({name, std::to_string(counts.waiting), due_text(place.due),
                   std::to_string(counts.processing), std::to_string(counts.succeeded),
                   std::to_string(counts.failed), std::to_string(counts.expired),
                   std::to_string(counts.cancelled), std::to_string(place.nodes),
                   pauses_text(place)});
    }
    print_table(table,
                queues ? "there are no queues: no job, no node, no pause"
                       : "there are no job types: no job, no node, no pause",
                out);
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

int list(const PausableCommand& command, Store& store, Context& context) {
    const Places places = gather(store, command.kind);
    if (!context.json) {
        print_places(places, command.kind == Pause::Kind::kQueue, context.out);
        return kDone;
    }
    JsonWriter json;
    json.begin_object().key("items").begin_array();
    for (const auto& [name, place] : places) write_place(json, name, place);
    json.end_array().key("next").null().end_object();
    context.out.document(json.text());
    return kDone;
}

/// A pause of something that nobody has heard of yet is stored, but is most likely a slip.
void warn_if_unknown(const PausableCommand& command, StoreAccess& access, const char* what) {
    if (gather(access.store(), command.kind).contains(command.name)) return;
    const KnownNames known = known_names(access.store(), access.config());
    const bool is_queue = command.kind == Pause::Kind::kQueue;
    complain("warning: no job and no live node names the " + std::string(what) + ' ' +
             command.name +
             config::did_you_mean(command.name, is_queue ? known.queues : known.types));
}

int set_pause(const PausableCommand& command, StoreAccess& access, Context& context) {
    Store& store = access.store();
    const char* what = command.kind == Pause::Kind::kQueue ? "queue" : "type";
    if (const auto reason = check_name(command.name)) {
        throw CommandError(kUsage, "the name of the " + std::string(what) + ' ' + *reason);
    }
    const bool pausing = command.act == PausableCommand::Act::kPause;
    if (pausing) warn_if_unknown(command, access, what);
    const bool changed =
        pausing ? store.pause(command.kind, command.name, command.service, acting_user())
                : store.resume(command.kind, command.name, command.service);
    const std::string word = pausing ? "paused" : "resumed";
    if (context.json) {
        JsonWriter json;
        json.begin_object()
            .field("name", command.name)
            .text_or_null("service", command.service)
            .field("paused", pausing)
            .field("changed", changed)
            .end_object();
        context.out.document(json.text());
        return kDone;
    }
    context.out.line(
        std::string(what) + ' ' + command.name +
        (changed ? ' ' + word : std::string(pausing ? " was paused already" : " was not paused")));
    return kDone;
}

}  // namespace

int run_command(const PausableCommand& command, Context& context) {
    // A pause may come before the first host, so that this one starts nothing.
    const bool pausing = command.act == PausableCommand::Act::kPause;
    StoreAccess access(context.config_file, pausing ? Missing::kCreate : Missing::kRefuse);
    if (command.act == PausableCommand::Act::kList) {
        return list(command, access.store(), context);
    }
    return set_pause(command, access, context);
}

}  // namespace jobhost::cli
