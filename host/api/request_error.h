#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace jobhost::api {

/// Why a request cannot be done: one sentence for whoever sent it, by whatever interface.
class RequestError : public std::runtime_error {
public:
    enum class Kind {
        kBad,       // it makes no sense
        kNotFound,  // what it names is not there
        kRefused,   // it makes sense, and does not fit what is there
    };

    RequestError(Kind kind, const std::string& sentence)
        : std::runtime_error(sentence), kind_(kind) {}

    /// About one parameter: the sentence is its name and `rest`, which begins behind the name.
    RequestError(std::string parameter, std::string rest)
        : std::runtime_error(parameter + rest),
          kind_(Kind::kBad),
          parameter_(std::move(parameter)),
          rest_(std::move(rest)) {}

    Kind kind() const { return kind_; }
    const std::string& parameter() const { return parameter_; }  // empty: about none of them
    const std::string& rest() const { return rest_; }

private:
    Kind kind_;
    std::string parameter_ = {};
    std::string rest_ = {};
};

}  // namespace jobhost::api
