#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/http/message.h"
#include "storage/json_text.h"

namespace jobhost::http {

/// The query of a request, taken one by one; what nobody took is a mistake. All throw
/// api::RequestError (bad).
class QueryParameters {
public:
    explicit QueryParameters(const Request& request) : left_(request.query) {}

    std::string text(std::string_view name);                // empty: not there
    std::vector<std::string> texts(std::string_view name);  // as often as it stands there
    int number(std::string_view name, int unless_given, int least, int most);
    bool truth(std::string_view name, bool unless_given);

    /// Throws when something is left.
    void end() const;

private:
    std::multimap<std::string, std::string, std::less<>> left_;
};

/// The members of a request's JSON body, taken one by one; what nobody took is a mistake. An empty
/// body is an object without members; a null member is not there. All throw api::RequestError
/// (bad).
class BodyParameters {
public:
    /// `what`: the name of the object in sentences; empty: the body itself.
    explicit BodyParameters(std::string_view json, std::string what = "");

    std::string text(std::string_view name);
    bool truth(std::string_view name);
    std::optional<std::vector<std::string>> texts(std::string_view name);
    std::optional<std::string> json(std::string_view name);  // any value, as it stands there

    void end() const;

private:
    std::optional<std::string_view> take(std::string_view name);
    std::string named(std::string_view name) const;

    std::string text_;
    std::string what_;
    std::vector<JsonMember> left_ = {};
};

}  // namespace jobhost::http
