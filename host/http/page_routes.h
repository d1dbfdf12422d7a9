#pragma once

#include "host/http/overview_feed.h"
#include "host/http/router.h"

namespace jobhost::http {

/// The dashboard's page at `/` and its files under `/assets/`, all of them in this binary; the
/// description of the API at /api/v1/openapi.json. Nobody is asked for a token here: nothing of the
/// store is in them.
void add_page_routes(Router& router);

/// GET /api/v1/overview and, as server-sent events, /api/v1/events. `feed` outlives the router.
void add_overview_routes(Router& router, OverviewFeed& feed);

}  // namespace jobhost::http
