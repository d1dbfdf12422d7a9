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
    static_assert(std::is_default_constructible_v<T>,
                  "jobhost: the class needs a default constructor, or pass a callable that makes "
                  "an instance: plugin.job<T>(name, [] { return std::make_unique<T>(...); })");
    T operator()() const { return T(); }
};

/// Makes an instance and calls `use(T&)` with it. The factory may answer a T or a smart pointer; it
/// is called as const, because several workers call it at the same time.
template <class T, class Factory, class Use>
void with_instance(const Factory& factory, Use&& use) {
    using Made = std::invoke_result_t<const Factory&>;
    if constexpr (std::is_base_of_v<T, std::decay_t<Made>>) {
        auto&& instance = factory();
        use(instance);
    } else {
        static_assert(!std::is_pointer_v<std::decay_t<Made>>,
                      "jobhost: a factory answers a T, a unique_ptr or a shared_ptr, so that it is "
                      "clear who frees it");
        auto instance = factory();
        if (instance == nullptr) throw std::logic_error("the factory answered a null pointer");
        use(static_cast<T&>(*instance));
    }
}

}  // namespace detail
}  // namespace v1
}  // namespace jobhost
