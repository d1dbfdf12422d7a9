#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace jobhost::http {

/// What a route sees of a request. Names of the query are decoded, as is the path.
struct Request {
    std::string method = {};  // as sent: GET, POST, ...
    std::string path = {};    // without the query, always with a leading slash
    std::multimap<std::string, std::string, std::less<>> query = {};
    std::string body = {};
    std::string authorization = {};
};

struct Response {
    int status = 200;
    std::string content_type = "application/json";
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
};

/// Why a request was not done, as problem details (RFC 9457): `title` names the status, `detail` is
/// one sentence that says what to do.
Response problem(int status, const std::string& detail);

}  // namespace jobhost::http
