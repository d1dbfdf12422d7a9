#include <string>

#include <jobhost/abi.h>

#include "config/storage_reader.h"
#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/store_access.h"
#include "host/observe/counted.h"
#include "host/settings_from_config.h"
#include "host/text/json_writer.h"
#include "host/version.h"

namespace jobhost::cli {
namespace {}  // namespace

int run_command(const PurgeCommand&, Context& context) {
    StoreAccess access(context.config_file);
    const RetentionTimes keep = retention_times(access.config());
    PurgeCount sum;
    do {
        const PurgeCount part = access.store().purge(keep, kPurgeBatch);
        sum.jobs += part.jobs;
        sum.keys += part.keys;
        sum.nodes += part.nodes;
        // A store that promises more without giving any must not hold us for ever.
        sum.more = part.more && part.jobs + part.keys + part.nodes > 0;
    } while (sum.more);
    if (!context.json) {
        context.out.line("purged " + counted(sum.jobs, "job") + ", " +
                         counted(sum.keys, "idempotency key") + " and " +
                         counted(sum.nodes, "node"));
        return kDone;
    }
    JsonWriter json;
    json.begin_object()
        .field("jobs", sum.jobs)
        .field("keys", sum.keys)
        .field("nodes", sum.nodes)
        .end_object();
    context.out.document(json.text());
    return kDone;
}

int run_command(const MigrateCommand&, Context& context) {
    // Opening the store is what migrates it.
    StoreAccess access(context.config_file, Missing::kCreate);
    const std::string version = access.handle().schema_version();
    if (!context.json) {
        context.out.line("the store has schema " + version + ": " +
                         config::shown_url(access.config().storage));
        return kDone;
    }
    JsonWriter json;
    json.begin_object()
        .field("schema_version", version)
        .field("url", config::shown_url(access.config().storage))
        .end_object();
    context.out.document(json.text());
    return kDone;
}

int run_command(const VersionCommand&, Context& context) {
    const std::string abi =
        std::to_string(JOBHOST_ABI_MAJOR) + '.' + std::to_string(JOBHOST_ABI_MINOR);
    if (!context.json) {
        context.out.line("jobhost " + std::string(kVersion) + ", plugin ABI " + abi);
        return kDone;
    }
    JsonWriter json;
    json.begin_object().field("version", kVersion).field("plugin_abi", abi).end_object();
    context.out.document(json.text());
    return kDone;
}

}  // namespace jobhost::cli
