#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/engine/policy.h"
#include "host/engine/thrown_error.h"

namespace jobhost {

/// The form in which type names are compared: without inline namespaces of the standard library
/// (`std::__1::`, `std::filesystem::__cxx11::`) and of the SDK (`jobhost::v1::`), without ABI tags
/// (`[abi:x]`) and without `(anonymous namespace)::`, anywhere in the name. Both sides go through
/// this.
std::string normalised_type_name(std::string_view name);

/// The listed name that says that this error must not be retried, or nullptr: the thrown type and
/// its bases first, then each nested cause. `listed` is normalised.
const Sourced<std::string>* find_listed(const ThrownError& error,
                                        const std::vector<Sourced<std::string>>& listed);

/// The `on:` entry for this error, or nullptr: the first level with a hit, in it the most derived.
const Sourced<OnError>* find_on(const ThrownError& error,
                                const std::vector<std::vector<Sourced<OnError>>>& levels);

}  // namespace jobhost
