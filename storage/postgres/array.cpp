#include "storage/postgres/array.h"

namespace jobhost::postgres {
namespace {

constexpr std::size_t kNullsAt = 4;
constexpr std::size_t kCountAt = 12;
constexpr std::uint32_t kNull = 0xFFFFFFFF;

void put(std::string& bytes, std::size_t at, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i) {
        bytes[at + i] = static_cast<char>(value >> (24U - 8U * i));
    }
}

}  // namespace

/// One dimension, that counts from 1.
Array::Array(unsigned element_type, unsigned array_type) : array_type_(array_type) {
    append(1);
    append(0);
    append(element_type);
    append(0);
    append(1);
}

void Array::append(std::uint32_t value) {
    bytes_.append(4, '\0');
    put(bytes_, bytes_.size() - 4, value);
}

void Array::add(std::int64_t value) {
    append(8);
    const auto bits = static_cast<std::uint64_t>(value);
    append(static_cast<std::uint32_t>(bits >> 32U));
    append(static_cast<std::uint32_t>(bits));
    ++count_;
}

void Array::add(std::string_view text) {
    append(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
    ++count_;
}

void Array::add_null() {
    append(kNull);
    put(bytes_, kNullsAt, 1);
    ++count_;
}

std::string_view Array::bytes() const {
    put(bytes_, kCountAt, count_);
    return bytes_;
}

}  // namespace jobhost::postgres
