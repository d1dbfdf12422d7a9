#pragma once

#include "host/api/filter_words.h"
#include "host/http/parameters.h"

namespace jobhost::http {

/// Takes the parameters of a filter.
api::FilterWords take_filter(QueryParameters& query);

/// The same out of a body's `filter` object, with `states` for the states.
api::FilterWords take_filter(BodyParameters& filter);

}  // namespace jobhost::http
