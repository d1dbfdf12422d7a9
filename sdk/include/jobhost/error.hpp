#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <jobhost/detail/type_name.hpp>
#include <jobhost/errors.hpp>

namespace jobhost {
inline namespace v1 {

/// An error that ended an attempt, by its names. Borrowed: valid during the call that received it.
class Error {
public:
    explicit Error(const jobhost_error& error) : error_(&error) {}

    /// The C++ type that was thrown: "payments::InvalidPixKey".
    std::string_view type() const { return detail::view(error_->type); }
    /// The type and all its public bases, nearest first.
    std::vector<std::string_view> types() const {
        auto result = detail::views(error_->bases, error_->n_bases);
        result.insert(result.begin(), type());
        return result;
    }
    std::string_view message() const { return detail::view(error_->message); }
    /// Empty when none is known.
    std::string_view stack_trace() const { return detail::view(error_->stack); }
    /// The attempt that failed so, 0 = not known.
    int attempt() const { return error_->attempt; }
    /// What it was nested around, or the elements of an AggregateError.
    std::vector<Error> causes() const {
        std::vector<Error> result;
        for (std::size_t i = 0; i < error_->n_causes; ++i) result.emplace_back(*error_->causes[i]);
        return result;
    }

    /// True when the error was a T or derived from T. Compares names, so T need not be the same
    /// binary type as the one thrown.
    template <class T>
    bool is() const {
        return is(detail::type_name<T>());
    }
    bool is(std::string_view name) const {
        if (name == type()) return true;
        for (std::size_t i = 0; i < error_->n_bases; ++i) {
            if (name == detail::view(error_->bases[i])) return true;
        }
        return false;
    }

private:
    const jobhost_error* error_;
};

}  // namespace v1
}  // namespace jobhost
