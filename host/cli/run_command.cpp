#include <unistd.h>

#include "host/app.h"
#include "host/cli/commands.h"
#include "host/cli/store_access.h"
#include "host/json_writer.h"
#include "host/signals.h"
#include "host/version.h"

namespace jobhost::cli {
namespace {

void print_leftover(const Leftover& leftover, Context& context) {
    if (context.json) {
        JsonWriter json;
        json.begin_object()
            .field("later", leftover.later)
            .field("paused", leftover.paused)
            .end_object();
        context.out.line(json.text());
        return;
    }
    context.out.line("nothing is left to do now; " + std::to_string(leftover.later) +
                     " jobs wait for a later run_at, " + std::to_string(leftover.paused) +
                     " due ones are held back by a pause");
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
