#include "host/api/failure_json.h"

#include "host/text/json_writer.h"

namespace jobhost::api {

std::string failures_json(const FailureGroups& failures) {
    JsonWriter json;
    json.begin_object().key("items").begin_array();
    for (const FailureGroup& group : failures.groups) {
        json.begin_object()
            .field("group", group.id)
            .field("type", group.type)
            .field("error", group.error)
            .text_or_null("frame", group.frame)
            .field("message", group.message)
            .field("count", group.count)
            .field("first_at", group.first_at)
            .field("last_at", group.last_at)
            .key("newest_job")
            .id(group.newest)
            .end_object();
    }
    json.end_array()
        .key("next")
        .null()
        .field("looked_at", failures.looked_at)
        .field("is_capped", failures.more)
        .end_object();
    return json.text();
}

}  // namespace jobhost::api
