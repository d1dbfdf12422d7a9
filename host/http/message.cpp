#include "host/http/message.h"

#include <boost/beast/http/status.hpp>

#include "host/text/json_writer.h"

namespace jobhost::http {

Response problem(int status, const std::string& detail) {
    const auto title = std::string(boost::beast::http::obsolete_reason(
        boost::beast::http::int_to_status(static_cast<unsigned>(status))));
    JsonWriter json;
    json.begin_object()
        .field("title", title)
        .field("status", status)
        .field("detail", detail)
        .end_object();
    return {.status = status, .content_type = "application/problem+json", .body = json.text()};
}

}  // namespace jobhost::http
