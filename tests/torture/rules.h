#pragma once

#include <string>
#include <vector>

#include "tests/torture/checker.h"
#include "tests/torture/evidence.h"

namespace jobhost::torture {

using Violations = std::vector<Violation>;

std::string text_of(const Line& line);

// What a run may do.
void check_fences(const Evidence& evidence, Tolerance tolerance, Violations& out);
void check_attempts(const Evidence& evidence, Violations& out);
void check_dead_letters(const Evidence& evidence, Violations& out);

// What becomes of jobs.
void check_integrity(const Evidence& evidence, Violations& out);
void check_ends(const Evidence& evidence, Violations& out);
void check_owners(const Evidence& evidence, Violations& out);
void check_keys(const Evidence& evidence, Violations& out);
void check_children(const Evidence& evidence, Violations& out);
void check_bulks(const Evidence& evidence, Violations& out);
void check_counts(const Evidence& evidence, Violations& out);
void check_expired(const Evidence& evidence, Violations& out);

}  // namespace jobhost::torture
