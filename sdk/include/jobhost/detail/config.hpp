#pragma once

// What every header of the C++ layer needs. The layer is compiled into the plugin, and two plugins
// built with different SDKs, compilers or standard libraries must never share any of it:
// jobhost_add_plugin hides all symbols, and state is marked JOBHOST_HIDDEN for those who build
// without it. (Hiding the classes here as well would make GCC warn about every class that an
// author derives from them in a program with default visibility, such as a unit test.)

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <jobhost/abi.h>

#if !defined(__GNUC__) || defined(_WIN32)
#error "The jobhost SDK needs g++ or clang++ on a Unix system."
#endif
#if !defined(__cpp_rtti) || !defined(__cpp_exceptions)
#error "The jobhost SDK needs exceptions and run-time type information (-frtti -fexceptions)."
#endif

#define JOBHOST_SDK_VERSION "1.0.0"
#define JOBHOST_HIDDEN __attribute__((visibility("hidden")))

namespace jobhost {
inline namespace v1 {
namespace detail {

inline std::string_view view(jobhost_str text) noexcept {
    return text.ptr == nullptr ? std::string_view() : std::string_view(text.ptr, text.len);
}

inline jobhost_str str(std::string_view text) noexcept {
    return jobhost_str{text.data(), text.size()};
}

inline std::vector<std::string_view> views(const jobhost_str* texts, std::size_t count) {
    std::vector<std::string_view> result;
    result.reserve(count);
    for (std::size_t i = 0; i < count; ++i) result.push_back(view(texts[i]));
    return result;
}

/// Borrows: the strings must outlive the result.
inline std::vector<jobhost_str> strs(const std::vector<std::string>& texts) {
    std::vector<jobhost_str> result;
    result.reserve(texts.size());
    for (const std::string& text : texts) result.push_back(str(text));
    return result;
}

template <class>
inline constexpr bool always_false = false;

}  // namespace detail
}  // namespace v1
}  // namespace jobhost
