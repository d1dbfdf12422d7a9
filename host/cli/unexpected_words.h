#pragma once

#include <set>
#include <string>
#include <vector>

namespace jobhost::cli {

/// What is wrong with a line in which these words, in this order, have no meaning. `commands`: what
/// could stand where the first of them does; empty: no command. `options`: with their dashes.
std::string unexpected_words(const std::vector<std::string>& words,
                             const std::set<std::string>& commands,
                             const std::set<std::string>& options);

}  // namespace jobhost::cli
