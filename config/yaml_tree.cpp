#include "config/yaml_tree.h"

#include <sstream>
#include <utility>

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "config/encoding.h"
#include "config/yaml_builder.h"
#include "config/yaml_source.h"

namespace jobhost::config {
namespace {

constexpr std::size_t kLargestText = std::size_t{1} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

YamlFile unreadable(Place place, std::string message) {
    return {.problems = {{place, std::move(message)}}};
}

YamlProblem syntax_problem(const YAML::Exception& error, const YamlSource& source) {
    if (error.mark.is_null()) return {{}, "not valid YAML: " + error.msg};
    const std::string_view line = source.line(error.mark.line);
    const std::size_t indent = line.find_first_not_of(" \t");
    const std::size_t tab = line.substr(0, indent).find('\t');
    if (tab != std::string_view::npos) {
        return {source.place(error.mark.line, static_cast<int>(tab)),
                "not valid YAML: a tab cannot indent, use spaces"};
    }
    std::string message = "not valid YAML: " + error.msg;
    if (line.find("${") != std::string_view::npos) {
        message += " (inside { } and [ ], ${NAME} must stand in quotes)";
    }
    return {source.place(error.mark.line, error.mark.column), std::move(message)};
}

}  // namespace

YamlFile parse_yaml(std::string_view text) {
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    const YamlSource source(text);
    if (text.size() > kLargestText) return unreadable({}, "the file is larger than 1 MiB");
    if (const auto problem = check_encoding(text)) {
        return unreadable(source.place_of_offset(problem->offset), problem->message);
    }

    std::istringstream stream{std::string(text)};
    YamlBuilder builder(text, source);
    try {
        YAML::Parser parser(stream);
        while (!builder.has_second_document() && parser.HandleNextDocument(builder)) {
        }
    } catch (const YamlProblem& problem) {
        return {.problems = {problem}};
    } catch (const YAML::Exception& error) {
        return {.problems = {syntax_problem(error, source)}};
    }
    return std::move(builder).finish();
}

}  // namespace jobhost::config
