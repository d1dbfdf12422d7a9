#include "host/http/router.h"

#include <exception>
#include <optional>
#include <string_view>

namespace jobhost::http {
namespace {

std::vector<std::string> parts_of(std::string_view path) {
    std::vector<std::string> parts;
    while (!path.empty()) {
        path.remove_prefix(1);  // the slash
        const std::size_t end = std::min(path.find('/'), path.size());
        parts.emplace_back(path.substr(0, end));
        path.remove_prefix(end);
    }
    return parts;
}

std::optional<Places> match(const std::vector<std::string>& pattern,
                            const std::vector<std::string>& path) {
    if (pattern.size() != path.size()) return std::nullopt;
    Places places;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i].starts_with('{')) {
            places.push_back(path[i]);
        } else if (pattern[i] != path[i]) {
            return std::nullopt;
        }
    }
    return places;
}

bool takes(const std::string& method, const std::string& asked) {
    return method == asked || (method == "GET" && asked == "HEAD");
}

}  // namespace

void Router::add(std::string method, const std::string& pattern, Access access, Handler handler,
                 RouteOptions options) {
    routes_.push_back(
        {std::move(method), pattern, parts_of(pattern), access, std::move(handler), options});
}

Admission Router::admit(const Request& head) const {
    const std::vector<std::string> path = parts_of(head.path);
    std::string allowed;
    for (const Route& route : routes_) {
        auto places = match(route.parts, path);
        if (!places) continue;
        if (!takes(route.method, head.method)) {
            allowed += (allowed.empty() ? "" : ", ") + route.method;
            continue;
        }
        if (auto refusal = guard_.refuse(head, route.access)) {
            return {.refusal = *std::move(refusal)};
        }
        return {.options = route.options, .handler = &route.handler, .places = *std::move(places)};
    }
    if (allowed.empty()) return {.refusal = problem(404, "there is nothing at " + head.path)};
    Response response = problem(405, head.path + " takes " + allowed);
    response.headers.emplace_back("Allow", allowed);
    return {.refusal = std::move(response)};
}

Response Router::answer(const Admission& admission, const Request& request) const noexcept {
    try {
        if (admission.refusal) return *admission.refusal;
        return (*admission.handler)(request, admission.places);
    } catch (const std::exception& error) {
        if (failed) failed(request.method + ' ' + request.path + ": " + error.what());
        return problem(500, error.what());
    }
}

Response Router::answer(const Request& request) const noexcept {
    try {
        return answer(admit(request), request);
    } catch (const std::exception& error) {
        return problem(500, error.what());
    }
}

std::vector<std::string> Router::routes() const {
    std::vector<std::string> all;
    for (const Route& route : routes_) all.push_back(route.method + ' ' + route.pattern);
    return all;
}

}  // namespace jobhost::http
