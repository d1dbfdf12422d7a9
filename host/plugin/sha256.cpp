#include "host/plugin/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace jobhost {
namespace {

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

std::uint32_t read_big_endian(const unsigned char* bytes) {
    return static_cast<std::uint32_t>(bytes[0]) << 24U |
           static_cast<std::uint32_t>(bytes[1]) << 16U |
           static_cast<std::uint32_t>(bytes[2]) << 8U | static_cast<std::uint32_t>(bytes[3]);
}

/// The 64 words that one block is stretched to.
std::array<std::uint32_t, 64> schedule(const unsigned char* block) {
    std::array<std::uint32_t, 64> words;
    for (std::size_t i = 0; i < 16; ++i) words[i] = read_big_endian(block + 4 * i);
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t near = words[i - 15];
        const std::uint32_t far = words[i - 2];
        const std::uint32_t small0 = std::rotr(near, 7) ^ std::rotr(near, 18) ^ (near >> 3U);
        const std::uint32_t small1 = std::rotr(far, 17) ^ std::rotr(far, 19) ^ (far >> 10U);
        words[i] = words[i - 16] + small0 + words[i - 7] + small1;
    }
    return words;
}

}  // namespace

void Sha256::add_block(const unsigned char* block) {
    const auto words = schedule(block);
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t big1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const std::uint32_t choice = (e & f) ^ (~e & g);
        const std::uint32_t first = h + big1 + choice + kRound[i] + words[i];
        const std::uint32_t big0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + big0 + majority;
    }
    const std::array<std::uint32_t, 8> mixed = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += mixed[i];
}

void Sha256::add(const void* bytes, std::size_t count) {
    const auto* next = static_cast<const unsigned char*>(bytes);
    total_bytes_ += count;
    while (count > 0) {
        if (pending_bytes_ == 0 && count >= pending_.size()) {
            add_block(next);
            next += pending_.size();
            count -= pending_.size();
            continue;
        }
        const std::size_t taken = std::min(count, pending_.size() - pending_bytes_);
        std::memcpy(pending_.data() + pending_bytes_, next, taken);
        pending_bytes_ += taken;
        next += taken;
        count -= taken;
        if (pending_bytes_ == pending_.size()) {
            add_block(pending_.data());
            pending_bytes_ = 0;
        }
    }
}

std::string Sha256::finish() {
    const std::uint64_t bits = total_bytes_ * 8;
    const unsigned char end_mark = 0x80;
    const unsigned char zero = 0;
    add(&end_mark, 1);
    while (pending_bytes_ != 56) add(&zero, 1);
    std::array<unsigned char, 8> length;
    for (unsigned i = 0; i < 8; ++i) {
        length[i] = static_cast<unsigned char>(bits >> (56U - 8U * i));
    }
    add(length.data(), length.size());

    constexpr char kHex[] = "0123456789abcdef";
    std::string text;
    for (const std::uint32_t word : state_) {
        for (int shift = 28; shift >= 0; shift -= 4) {
            text += kHex[(word >> static_cast<unsigned>(shift)) & 0xFU];
        }
    }
    return text;
}

}  // namespace jobhost
