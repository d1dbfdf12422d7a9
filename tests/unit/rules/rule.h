#pragma once

#include <algorithm>
#include <cctype>
#include <functional>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

namespace jobhost {

/// One sentence of the contract: what shows it, and what it shows when the sentence is true.
template <class... Site>
struct Rule {
    const char* words;
    std::function<std::string(Site&...)> shows;
    std::string outcome;
};

template <class... Site>
void PrintTo(const Rule<Site...>& rule, std::ostream* out) {
    *out << rule.words;
}

/// The sentence as a test's name.
template <class Param>
std::string name_of_rule(const testing::TestParamInfo<Param>& about) {
    std::string name;
    bool begins_word = true;
    for (const char* c = about.param.words; *c != '\0'; ++c) {
        const auto letter = static_cast<unsigned char>(*c);
        if (std::isalnum(letter) == 0) {
            begins_word = true;
            continue;
        }
        name += begins_word ? static_cast<char>(std::toupper(letter)) : *c;
        begins_word = false;
    }
    return name;
}

}  // namespace jobhost
