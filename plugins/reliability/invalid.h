#pragma once

#include <stdexcept>

#include <jobhost/job.hpp>

namespace reliability {

/// What `demo.invalid` throws.
class InvalidOrder : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

/// `demo.invalid`: throws an error that must not be retried.
class Invalid : public jobhost::Job<> {
public:
    void execute(jobhost::JobContext& ctx) override;
};

}  // namespace reliability
