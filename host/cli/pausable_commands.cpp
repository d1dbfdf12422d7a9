#include <cstdint>
#include <string>

#include "host/api/pausing.h"
#include "host/api/places.h"
#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/store_access.h"
#include "host/cli/text_table.h"
#include "host/text/time_text.h"

namespace jobhost::cli {
namespace {

std::string due_text(std::int64_t due) {
    return due >= api::kDueCap ? std::to_string(api::kDueCap) + '+' : std::to_string(due);
}

std::string pauses_text(const api::Place& place) {
    std::string text;
    for (const Pause& pause : place.pauses) {
        if (!text.empty()) text += ", ";
        text += (pause.service.empty() ? "everywhere" : "service " + pause.service) + " since " +
                time_text(pause.at);
    }
    return text;
}

void print_places(const api::Places& places, bool queues, Output& out) {
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

int list(const PausableCommand& command, Store& store, Context& context) {
    const api::Places places = api::places(api::place_facts(store), command.kind);
    if (context.json) {
        context.out.document(api::places_json(places));
    } else {
        print_places(places, command.kind == Pause::Kind::kQueue, context.out);
    }
    return kDone;
}

int set_pause(const PausableCommand& command, StoreAccess& access, Context& context) {
    const bool pausing = command.act == PausableCommand::Act::kPause;
    const api::PauseWish wish{.kind = command.kind,
                              .pausing = pausing,
                              .name = command.name,
                              .service = command.service,
                              .by = acting_user()};
    const api::PauseAnswer answer = api::set_pause(access.store(), access.config(), wish);
    if (!answer.warning.empty()) complain("warning: " + answer.warning);
    if (context.json) {
        context.out.document(api::pause_json(wish, answer));
        return kDone;
    }
    const std::string done = pausing ? " paused" : " resumed";
    const std::string nothing = pausing ? " was paused already" : " was not paused";
    context.out.line(std::string(api::noun_of(command.kind)) + ' ' + command.name +
                     (answer.changed ? done : nothing));
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
