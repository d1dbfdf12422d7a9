#include <array>
#include <cstdint>
#include <string>
#include <unistd.h>

#include "host/app.h"
#include "host/cli/commands.h"
#include "host/cli/store_access.h"
#include "host/observe/counted.h"
#include "host/signals.h"
#include "host/text/json_writer.h"
#include "host/version.h"

namespace jobhost::cli {
namespace {

struct Part {
    const char* name;  // in JSON
    std::int64_t Leftover::*count;
    const char* words;  // after the number and `job` or `jobs`
};
constexpr std::array<Part, 5> kParts{
    {{"later", &Leftover::later, "for a later run_at"},
     {"paused", &Leftover::paused, "held back by a pause"},
     {"elsewhere", &Leftover::elsewhere, "run by other nodes"},
     {"other_types", &Leftover::other_types, "of types that this node has not loaded"},
     {"other_queues", &Leftover::other_queues, "in queues that this node does not work on"}}};

void print_leftover(const Leftover& leftover, Context& context) {
    JsonWriter json;
    json.begin_object();
    std::string left;
    for (const Part& part : kParts) {
        const std::int64_t count = leftover.*part.count;
        json.field(part.name, count);
        if (count == 0) continue;
        left += (left.empty() ? "" : ", ") + counted(count, "job") + ' ' + part.words;
    }
    if (context.json) return context.out.document(json.end_object().text());
    context.out.line("nothing is left to do now; left for later or for others: " +
                     (left.empty() ? "nothing" : left));
}

}  // namespace

int run_command(const RunCommand& command, Context& context) {
    block_signals();
    const auto file = find_config_file(context.config_file);
    AppOptions options{.config = load_configured(file.string()),
                       .config_file = file.string(),
                       .version = kVersion,
                       .until_empty = command.until_empty};
    App app(std::move(options));
    const AppEnd end = app.run();
    if (end.leftover) print_leftover(*end.leftover, context);
    if (end.must_exit_at_once) {
        context.out.flush();
        ::_exit(end.status);
    }
    return end.status;
}

}  // namespace jobhost::cli
