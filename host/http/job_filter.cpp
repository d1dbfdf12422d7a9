#include "host/http/job_filter.h"

namespace jobhost::http {
namespace {

template <class Parameters>
api::FilterWords take_rest(Parameters& from, std::vector<std::string> states) {
    api::FilterWords words{.states = std::move(states)};
    words.queue = from.text("queue");
    words.type = from.text("type");
    words.tag = from.text("tag");
    words.error = from.text("error");
    words.group = from.text("group");
    words.since = from.text("since");
    return words;
}

}  // namespace

api::FilterWords take_filter(QueryParameters& query) {
    return take_rest(query, query.texts("state"));
}

api::FilterWords take_filter(BodyParameters& filter) {
    return take_rest(filter, filter.texts("states").value_or(std::vector<std::string>()));
}

}  // namespace jobhost::http
