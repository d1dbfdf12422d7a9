#pragma once

// Fresh instances, from default constructors or from the author's factories.

#include <functional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <jobhost/detail/config.hpp>

namespace jobhost {
inline namespace v1 {
namespace detail {

/// The factory of a T that needs none.
template <class T>
struct DefaultFactory {
    static_assert(!std::is_abstract_v<T>,
                  "jobhost: the class is still abstract: it overrides not every function that it "
                  "must, or with other parameters. Job<Input>: execute(const Input&, JobContext&); "
                  "Job<>: execute(JobContext&); Forwarder: applies_to(const FailedJob&) and "
                  "forward(const FailedJob&, const Error&, DeadLetterContext&)");
    static_assert(std::is_abstract_v<T> || std::is_default_constructible_v<T>,
                  "jobhost: the class needs a public default constructor, or a callable that makes "
                  "an instance as the last argument: [] { return std::make_unique<T>(...); }");
    T operator()() const { return T(); }
};

/// Whether a Made points to a T: a unique_ptr or a shared_ptr of it, or of a class derived from it.
template <class T, class Made, class = void>
struct PointsTo : std::false_type {};
template <class T, class Made>
struct PointsTo<T, Made, std::void_t<decltype(static_cast<T&>(*std::declval<Made&>()))>>
    : std::true_type {};

/// Makes an instance and calls `use(T&)` with it. The factory may answer a T or a smart pointer; it
/// is called as const, because several workers call it at the same time.
template <class T, class Factory, class Use>
void with_instance(const Factory& factory, Use&& use) {
    static_assert(std::is_invocable_v<const Factory&>,
                  "jobhost: a factory takes no arguments and is no mutable lambda: several workers "
                  "call it at the same time");
    using Made = std::invoke_result_t<const Factory&>;
    if constexpr (std::is_base_of_v<T, std::decay_t<Made>>) {
        auto&& instance = factory();
        use(instance);
    } else {
        static_assert(!std::is_pointer_v<std::decay_t<Made>>,
                      "jobhost: a factory answers a T, a unique_ptr or a shared_ptr, so that it is "
                      "clear who frees it");
        static_assert(std::is_pointer_v<std::decay_t<Made>> || PointsTo<T, Made>::value,
                      "jobhost: the factory makes another class than the one that is registered");
        auto instance = factory();
        if (instance == nullptr) throw std::logic_error("the factory answered a null pointer");
        use(static_cast<T&>(*instance));
    }
}

}  // namespace detail
}  // namespace v1
}  // namespace jobhost
