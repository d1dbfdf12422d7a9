#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace jobhost::config {

/// How many letters must be changed, added, left out or swapped with a neighbour to turn one text
/// into the other.
std::size_t edit_distance(std::string_view one, std::string_view other);

/// The known word that is near enough to `word` to be what was meant, the first one on a tie.
std::optional<std::string> nearest(std::string_view word, const std::set<std::string>& known);

/// The end of a sentence about an unknown word: "; did you mean `retry`?", or empty.
std::string did_you_mean(std::string_view word, const std::set<std::string>& known);

}  // namespace jobhost::config
