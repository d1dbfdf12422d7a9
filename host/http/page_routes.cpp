#include "host/http/page_routes.h"

#include <algorithm>
#include <jobhost_dashboard.h>
#include <jobhost_openapi.h>
#include <span>
#include <string>
#include <string_view>

namespace jobhost::http {
namespace {

/// Scripts and styles of this host only, nothing inline, nothing from elsewhere, in no frame.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

std::string type_of(std::string_view name) {
    if (name.ends_with(".html")) return "text/html; charset=utf-8";
    if (name.ends_with(".css")) return "text/css; charset=utf-8";
    if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
    if (name.ends_with(".svg")) return "image/svg+xml";
    return "application/octet-stream";
}

Response file(std::string_view name) {
    const std::span<const embedded::File> files(embedded::kFiles);
    const auto found = std::ranges::find(files, name, &embedded::File::name);
    if (found == files.end()) return problem(404, "there is no file " + std::string(name));
    Response response{.content_type = type_of(name), .body = std::string(found->content)};
    response.headers.emplace_back("Content-Security-Policy", kPolicy);
    // Asked for again by each page, so that a new host never runs with old files.
    response.headers.emplace_back("Cache-Control", "no-cache");
    return response;
}

}  // namespace

void add_page_routes(Router& router) {
    constexpr RouteOptions kInstant{.is_instant = true};
    router.add(
        "GET", "/", Access::kOpen, [](const Request&, const Places&) { return file("index.html"); },
        kInstant);
    router.add(
        "GET", "/assets/{name}", Access::kOpen,
        [](const Request&, const Places& places) { return file(places.at(0)); }, kInstant);
    router.add(
        "GET", "/api/v1/openapi.json", Access::kOpen,
        [](const Request&, const Places&) {
            return Response{.body = std::string(embedded::k_openapi_json)};
        },
        kInstant);
}

void add_overview_routes(Router& router, OverviewFeed& feed) {
    router.add("GET", "/api/v1/overview", Access::kToken, [&feed](const Request&, const Places&) {
        return Response{.body = feed.document()};
    });
    router.add("GET", "/api/v1/events", Access::kToken,
               [&feed](const Request&, const Places&) {
                   if (feed.events()->is_full()) {
                       return problem(503,
                                      "too many dashboards are open on this node: use another one");
                   }
                   return Response{.content_type = "text/event-stream", .events = feed.events()};
               },
               {.is_instant = true});
}

}  // namespace jobhost::http
