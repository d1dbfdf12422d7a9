#include "config/suggestion.h"

#include <algorithm>
#include <vector>

#include "config/encoding.h"

namespace jobhost::config {
namespace {

/// Longer than any key; keeps the work small whatever stands in a file.
constexpr std::size_t kLongestWord = 64;

}  // namespace

std::size_t edit_distance(std::string_view one, std::string_view other) {
    const std::size_t width = other.size() + 1;
    std::vector<std::size_t> cost((one.size() + 1) * width);
    const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
        return cost[i * width + j];
    };
    for (std::size_t i = 0; i <= one.size(); ++i) at(i, 0) = i;
    for (std::size_t j = 0; j <= other.size(); ++j) at(0, j) = j;
    for (std::size_t i = 1; i <= one.size(); ++i) {
        for (std::size_t j = 1; j <= other.size(); ++j) {
            const std::size_t change = one[i - 1] == other[j - 1] ? 0 : 1;
            at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change});
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1]) {
                at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
            }
        }
    }
    return at(one.size(), other.size());
}

std::optional<std::string> nearest(std::string_view word, const std::set<std::string>& known) {
    if (word.size() > kLongestWord) return std::nullopt;
    std::optional<std::string> best;
    std::size_t best_distance = 0;
    for (const std::string& candidate : known) {
        const std::size_t distance = edit_distance(word, candidate);
        const std::size_t near = std::max<std::size_t>(1, candidate.size() / 3);
        if (distance <= near && (!best || distance < best_distance)) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view word, const std::set<std::string>& known) {
    const auto meant = nearest(word, known);
    return meant && *meant != word ? "; did you mean " + quote(*meant) + '?' : std::string();
}

}  // namespace jobhost::config
