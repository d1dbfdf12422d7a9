#pragma once

// Typed input, checkpoints and settings through nlohmann::json. The rest of the SDK needs no
// library; this header needs nlohmann-json 3.9 or newer (Debian: nlohmann-json3-dev).

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <jobhost/detail/type_name.hpp>
#include <jobhost/errors.hpp>
#include <jobhost/input.hpp>
#include <nlohmann/json.hpp>

namespace jobhost {
inline namespace v1 {

namespace detail {

template <class T, class = void>
struct IsJsonReadable : std::false_type {};
template <class T>
struct IsJsonReadable<T, std::void_t<decltype(std::declval<const nlohmann::json&>().get<T>())>>
    : std::true_type {};

/// Built with JSON_DIAGNOSTICS=1, nlohmann::json says where: "[json.exception...] (/amount) ...".
inline std::string pointer_in(std::string_view message) {
    const std::size_t start = message.find("] (/");
    if (start == std::string_view::npos) return {};
    const std::size_t end = message.find(") ", start);
    if (end == std::string_view::npos) return {};
    return std::string(message.substr(start + 3, end - start - 3));
}

}  // namespace detail

template <class T>
struct InputCodec<T, std::enable_if_t<detail::IsJsonReadable<T>::value>> {
    static T read(std::string_view json) {
        try {
            return nlohmann::json::parse(json.begin(), json.end()).template get<T>();
        } catch (const nlohmann::json::exception& error) {
            throw PayloadError(
                std::string("cannot read ") + detail::type_name<T>() + ": " + error.what(),
                detail::pointer_in(error.what()));
        }
    }
};

/// JSON text of a value: for Enqueue::input and save_checkpoint. Text that is not UTF-8 gets
/// replacement characters.
template <class T>
std::string json_text(const T& value) {
    return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace v1
}  // namespace jobhost
