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

void Router::add(std::string method, const std::string& pattern, Access access, Handler handler) {
    routes_.push_back({std::move(method), parts_of(pattern), access, std::move(handler)});
}

Response Router::answer(const Request& request) const noexcept {
    try {
        return find_and_answer(request);
    } catch (const std::exception& error) {
        if (failed) failed(request.method + ' ' + request.path + ": " + error.what());
        return problem(500, error.what());
    }
}

Response Router::find_and_answer(const Request& request) const {
    const std::vector<std::string> path = parts_of(request.path);
    std::string allowed;
    for (const Route& route : routes_) {
        const auto places = match(route.parts, path);
        if (!places) continue;
        if (!takes(route.method, request.method)) {
            allowed += (allowed.empty() ? "" : ", ") + route.method;
            continue;
        }
        if (auto refusal = guard_.refuse(request, route.access)) return *std::move(refusal);
        return route.handler(request, *places);
    }
    if (allowed.empty()) return problem(404, "there is nothing at " + request.path);
    Response response = problem(405, request.path + " takes " + allowed);
    response.headers.emplace_back("Allow", allowed);
    return response;
}

}  // namespace jobhost::http
