#include "tests/torture/ledger.h"

#include <sstream>

namespace jobhost::torture {

const std::string& Line::text(std::string_view field) const {
    static const std::string none;
    const auto found = fields.find(field);
    return found == fields.end() ? none : found->second;
}

std::int64_t Line::number(std::string_view field) const {
    const std::string& value = text(field);
    return value.empty() ? 0 : std::stoll(value);
}

Line parse_line(const std::string& text) {
    Line line;
    std::istringstream words(text);
    words >> line.word;
    for (std::string field; words >> field;) {
        const std::size_t equals = field.find('=');
        if (equals == std::string::npos) continue;
        line.fields[field.substr(0, equals)] = field.substr(equals + 1);
    }
    return line;
}

Ledger read_ledger(std::istream& in) {
    Ledger ledger;
    for (std::string text; std::getline(in, text);) {
        if (!text.empty()) ledger.push_back(parse_line(text));
    }
    return ledger;
}

}  // namespace jobhost::torture
