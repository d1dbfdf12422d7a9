#pragma once

#include <cstdint>

#include "tests/torture/options.h"

namespace jobhost::torture {

/// One run, from the first host to the verdict, which it prints. Answers the exit status.
int run(const Options& options, std::uint64_t seed);

}  // namespace jobhost::torture
