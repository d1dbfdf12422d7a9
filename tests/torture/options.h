#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "tests/torture/fault_plan.h"

namespace jobhost::torture {

struct Options {
    std::optional<std::uint64_t> seed = {};  // not set: a new one
    std::chrono::milliseconds length = std::chrono::seconds(20);
    Engine engine = Engine::kSqlite;
    bool only_plan = false;
    bool keep = false;
    bool help = false;
};

/// Throws std::invalid_argument with a sentence.
Options read_options(int argc, const char* const* argv);

extern const char* const kHelp;

}  // namespace jobhost::torture
