#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace jobhost::http {

class EventFeed;

/// What a route sees of a request. Names of the query are decoded, as is the path.
struct Request {
    std::string method = {};  // as sent: GET, POST, ...
    std::string path = {};    // without the query, always with a leading slash
    std::multimap<std::string, std::string, std::less<>> query = {};
    std::string body = {};
    std::string peer = {};  // address of the client

    // Headers, as sent; empty: not there.
    std::string authorization = {};
    std::string cookie = {};
    std::string host = {};
    std::string forwarded_host = {};  // X-Forwarded-Host
    std::string origin = {};
    std::string fetch_site = {};  // Sec-Fetch-Site
    std::string content_type = {};

    bool changes_something() const { return method != "GET" && method != "HEAD"; }
};

struct Response {
    int status = 200;
    std::string content_type = "application/json";
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    /// Set: not `body` but what the feed publishes, as server-sent events without an end.
    std::shared_ptr<EventFeed> events = {};
};

/// Why a request was not done, as problem details (RFC 9457): `title` names the status, `detail` is
/// one sentence that says what to do.
Response problem(int status, const std::string& detail);

}  // namespace jobhost::http
