#include "storage/failure_group.h"

#include <array>
#include <cstdio>

namespace jobhost {
namespace {

/// FNV-1a of 64 bits (draft-eastlake-fnv), the text's end included.
std::uint64_t mix(std::uint64_t hash, std::string_view text) {
    constexpr std::uint64_t kPrime = 0x100000001b3;
    for (const char letter : text) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * kPrime;
    }
    return (hash ^ 0xffU) * kPrime;  // a byte that UTF-8 does not have
}

}  // namespace

std::string top_frame(std::string_view stack) {
    std::string_view line = stack.substr(0, stack.find('\n'));
    if (line.starts_with('#')) {
        const std::size_t space = line.find(' ');
        line.remove_prefix(space == std::string_view::npos ? line.size() : space + 1);
    }
    return std::string(line);
}

std::string failure_group_id(std::string_view type, std::string_view error,
                             std::string_view frame) {
    constexpr std::uint64_t kOffset = 0xcbf29ce484222325;
    const std::uint64_t hash = mix(mix(mix(kOffset, type), error), frame);
    std::array<char, 17> text = {};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
    return text.data();
}

}  // namespace jobhost
