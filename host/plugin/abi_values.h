#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include <jobhost/abi.h>

namespace jobhost {

// Reading and making the structs of abi.h.

/// sizeof of each growable struct in ABI 1.0: what every plugin at least fills in.
template <class Struct>
inline constexpr std::size_t kFirstSize = 0;
template <>
inline constexpr std::size_t kFirstSize<jobhost_error> = 128;
template <>
inline constexpr std::size_t kFirstSize<jobhost_error_type> = 40;
template <>
inline constexpr std::size_t kFirstSize<jobhost_enqueue> = 168;
template <>
inline constexpr std::size_t kFirstSize<jobhost_enqueue_result> = 32;
template <>
inline constexpr std::size_t kFirstSize<jobhost_retry_policy> = 56;
template <>
inline constexpr std::size_t kFirstSize<jobhost_retry_delay> = 40;
template <>
inline constexpr std::size_t kFirstSize<jobhost_job_type> = 72;
template <>
inline constexpr std::size_t kFirstSize<jobhost_dead_letter_handler> = 40;
template <>
inline constexpr std::size_t kFirstSize<jobhost_forwarder> = 48;
template <>
inline constexpr std::size_t kFirstSize<jobhost_trigger_type> = 56;
template <>
inline constexpr std::size_t kFirstSize<jobhost_plugin> = 136;
template <>
inline constexpr std::size_t kFirstSize<jobhost_plugin_entry> = 72;

/// False: the struct is smaller than ABI 1.0 allows, so nothing in it can be trusted.
template <class Struct>
bool has_first_size(const Struct& theirs) {
    static_assert(kFirstSize<Struct> != 0);
    return theirs.struct_size >= kFirstSize<Struct>;
}

/// Their struct as this host knows it: fields that an older writer did not know are zero, and what
/// a newer one appended is ignored.
template <class Struct>
Struct read_struct(const Struct& theirs) {
    Struct ours{};
    std::memcpy(&ours, &theirs, std::min<std::size_t>(theirs.struct_size, sizeof(Struct)));
    ours.struct_size = sizeof(Struct);
    return ours;
}

/// A NULL pointer with a length is the one text that cannot be read at all.
inline bool is_readable(jobhost_str text) {
    return text.ptr != nullptr || text.len == 0;
}

inline std::string_view view_of(jobhost_str text) {
    return text.ptr == nullptr ? std::string_view() : std::string_view(text.ptr, text.len);
}
inline std::string text_of(jobhost_str text) {
    return std::string(view_of(text));
}

inline jobhost_str borrow(std::string_view text) {
    return text.empty() ? jobhost_str{nullptr, 0} : jobhost_str{text.data(), text.size()};
}

}  // namespace jobhost
