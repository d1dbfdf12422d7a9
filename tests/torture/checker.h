#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/torture/ledger.h"
#include "tests/torture/store_facts.h"

namespace jobhost::torture {

/// A sentence of the contract that does not hold, and for which job (0: for none in particular).
struct Violation {
    std::string sentence;
    std::int64_t job = 0;
    std::string how;
};

struct Tolerance {
    /// The server of the store crashed: it may have forgotten claims, which need not survive that,
    /// so a fence may be seen twice.
    bool forgotten_claims = false;
};

/// Compares what happened with what the store says. Pure.
std::vector<Violation> check(const Ledger& ledger, const StoreFacts& store, Tolerance tolerance);

/// For people: what was compared, so that an empty run does not pass for a good one.
struct Counts {
    std::size_t jobs = 0;
    std::size_t accepted = 0;
    std::size_t runs = 0;
    std::size_t handlers = 0;
    std::size_t keys = 0;
    std::size_t orphanings = 0;
    std::size_t shutdowns = 0;  // runs that a shutdown interrupted
};
Counts count(const Ledger& ledger, const StoreFacts& store);

}  // namespace jobhost::torture
