#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace jobhost {

/// SHA-256 (FIPS 180-4). Our own, because a cryptographic library is a heavy thing to link for one
/// hash of a few files at start; checked against the standard's vectors.
class Sha256 {
public:
    void add(const void* bytes, std::size_t count);

    /// 64 lower-case hex digits. The object is used up.
    std::string finish();

private:
    void add_block(const unsigned char* block);

    std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> pending_ = {};
    std::size_t pending_bytes_ = 0;
    std::uint64_t total_bytes_ = 0;
};

}  // namespace jobhost
