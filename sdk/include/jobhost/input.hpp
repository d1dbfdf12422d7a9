#pragma once

#include <string_view>

#include <jobhost/detail/config.hpp>

namespace jobhost {
inline namespace v1 {

/// JSON text, byte for byte as it was enqueued. Borrowed: valid during the call.
struct RawJson {
    std::string_view text = {};
};

/// How JSON text becomes a T. <jobhost/json.hpp> does it for every type that nlohmann::json reads;
/// specialise it for another library. `read` throws PayloadError.
template <class T, class Enable = void>
struct InputCodec {
    static_assert(detail::always_false<T>,
                  "jobhost: include <jobhost/json.hpp> and make the type readable for "
                  "nlohmann::json (NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE), or specialise "
                  "jobhost::InputCodec, or use jobhost::Job<jobhost::RawJson>");
};

template <>
struct InputCodec<RawJson> {
    static RawJson read(std::string_view json) { return RawJson{json}; }
};

}  // namespace v1
}  // namespace jobhost
