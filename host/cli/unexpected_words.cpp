#include "host/cli/unexpected_words.h"

#include "config/suggestion.h"

namespace jobhost::cli {
namespace {

std::string in_ticks(const std::string& word) {
    return '`' + word + '`';
}

/// `--queue` of `--queue=mail`.
std::string option_name(const std::string& word) {
    return word.substr(0, word.find('='));
}

bool is_option(const std::string& word) {
    return word.size() > 1 && word.front() == '-';
}

}  // namespace

std::string unexpected_words(const std::vector<std::string>& words,
                             const std::set<std::string>& commands,
                             const std::set<std::string>& options) {
    const std::string& first = words.front();
    if (!is_option(first) && !commands.empty()) {
        return "unknown command " + in_ticks(first) + config::did_you_mean(first, commands);
    }
    std::string all;
    std::string meant;
    for (const std::string& word : words) {
        all += (all.empty() ? "" : ", ") + in_ticks(is_option(word) ? option_name(word) : word);
        if (is_option(word) && meant.empty())
            meant = config::did_you_mean(option_name(word), options);
    }
    if (words.size() > 1) return "unexpected arguments " + all + meant;
    return (is_option(first) ? "unknown option " : "unexpected argument ") + all + meant;
}

}  // namespace jobhost::cli
