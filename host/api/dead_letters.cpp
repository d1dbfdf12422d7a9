#include "host/api/dead_letters.h"

#include "host/api/request_error.h"
#include "host/text/json_writer.h"

namespace jobhost::api {

DeadLetterPage dead_letter_page(Store& store, JobId job, std::optional<DeadLetterState> state,
                                int limit, std::int64_t after) {
    // One more than asked for tells whether there is a next page.
    DeadLetterPage page{.runs = store.dead_letters(job, state, limit + 1, after)};
    if (std::ssize(page.runs) > limit) {
        page.runs.pop_back();
        page.next = std::to_string(page.runs.back().run);
    }
    return page;
}

RerunAnswer rerun(Store& store, std::int64_t run, bool force) {
    RerunAnswer answer = store.rerun_dead_letter(run, force);
    switch (answer.outcome) {
        case ControlAnswer::Outcome::kNotFound:
            throw RequestError(RequestError::Kind::kNotFound, answer.reason);
        case ControlAnswer::Outcome::kRefused:
            throw RequestError(RequestError::Kind::kRefused, answer.reason);
        case ControlAnswer::Outcome::kDone:
        case ControlAnswer::Outcome::kRequested: break;
    }
    return answer;
}

std::string rerun_warning(const RerunAnswer& answer) {
    return answer.has_live_node ? "" : "no live node can do it now; it waits for one";
}

std::string rerun_json(std::int64_t old_run, const RerunAnswer& answer) {
    JsonWriter json;
    json.begin_object().key("id").id(answer.run).key("rerun_of").id(old_run);
    if (!answer.has_live_node) json.field("warning", rerun_warning(answer));
    return json.end_object().text();
}

}  // namespace jobhost::api
