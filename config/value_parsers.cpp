#include "config/value_parsers.h"

#include "config/decimal.h"
#include "config/duration.h"
#include "config/encoding.h"
#include "config/names.h"
#include "config/size.h"

namespace jobhost::config {
namespace {

/// A sentence about the text itself would show what came from the environment.
tl::unexpected<std::string> without_secret(const Scalar& scalar, std::string sentence) {
    if (!scalar.expanded) return tl::unexpected(std::move(sentence));
    const std::size_t shown = sentence.find(", not `");
    return tl::unexpected(sentence.substr(0, shown) + shown_as(scalar));
}

}  // namespace

std::string shown_as(const Scalar& scalar) {
    if (scalar.is_null) return ", but has no value";
    if (scalar.expanded) return ", not the value of " + quote(scalar.written);
    return ", not " + quote(scalar.written) + (scalar.quoted ? " in quotes" : "");
}

ValueParser<int> whole_number(int least, int most) {
    return [=](const Scalar& scalar) -> Parsed<int> {
        const auto number = scalar.quoted ? std::nullopt : parse_decimal(scalar.text);
        if (!number || *number < least || *number > most) {
            return tl::unexpected<std::string>("must be a whole decimal number from " +
                                               std::to_string(least) + " to " +
                                               std::to_string(most) + shown_as(scalar));
        }
        return static_cast<int>(*number);
    };
}

ValueParser<bool> boolean() {
    return [](const Scalar& scalar) -> Parsed<bool> {
        if (!scalar.quoted && scalar.text == "true") return true;
        if (!scalar.quoted && scalar.text == "false") return false;
        return tl::unexpected<std::string>("must be true or false" + shown_as(scalar));
    };
}

ValueParser<double> factor(double least) {
    return [=](const Scalar& scalar) -> Parsed<double> {
        const auto number = scalar.quoted ? std::nullopt : parse_decimal_fraction(scalar.text);
        if (!number || *number < least) {
            return tl::unexpected<std::string>("must be a decimal number of at least " +
                                               std::to_string(static_cast<int>(least)) +
                                               shown_as(scalar));
        }
        return *number;
    };
}

ValueParser<Duration> duration(Duration least) {
    return [=](const Scalar& scalar) -> Parsed<Duration> {
        if (scalar.is_null) {
            return tl::unexpected<std::string>("must be a duration such as 30s" + shown_as(scalar));
        }
        auto parsed = parse_duration(scalar.text);
        if (!parsed) return without_secret(scalar, std::move(parsed.error()));
        if (*parsed < least) {
            return tl::unexpected((least == Duration(1) ? std::string("must be longer than 0")
                                                        : "must be at least " + to_string(least)) +
                                  shown_as(scalar));
        }
        return *parsed;
    };
}

ValueParser<std::int64_t> size(std::int64_t least, std::int64_t most) {
    return [=](const Scalar& scalar) -> Parsed<std::int64_t> {
        if (scalar.is_null) {
            return tl::unexpected<std::string>("must be a size such as 1MiB" + shown_as(scalar));
        }
        auto parsed = parse_size(scalar.text);
        if (!parsed) return without_secret(scalar, std::move(parsed.error()));
        if (*parsed < least || *parsed > most) {
            return tl::unexpected<std::string>("must be from " + size_to_string(least) + " to " +
                                               size_to_string(most) + shown_as(scalar));
        }
        return *parsed;
    };
}

ValueParser<std::string> name() {
    return [](const Scalar& scalar) -> Parsed<std::string> {
        if (auto problem = name_problem(scalar.text)) {
            return without_secret(scalar, *std::move(problem));
        }
        return scalar.text;
    };
}

ValueParser<std::string> error_name() {
    return [](const Scalar& scalar) -> Parsed<std::string> {
        if (auto problem = error_name_problem(scalar.text)) {
            return without_secret(scalar, *std::move(problem));
        }
        return scalar.text;
    };
}

ValueParser<std::string> text() {
    return [](const Scalar& scalar) -> Parsed<std::string> {
        if (scalar.is_null) return tl::unexpected<std::string>("must be text" + shown_as(scalar));
        if (scalar.text.empty()) return tl::unexpected<std::string>("must not be empty");
        if (scalar.text.find('\0') != std::string::npos) {
            return tl::unexpected<std::string>("must not hold a NUL character");
        }
        return scalar.text;
    };
}

ValueParser<std::string> path(PathKind kind, const std::filesystem::path& base_dir) {
    return [=](const Scalar& scalar) -> Parsed<std::string> {
        return text()(scalar).and_then([&](const std::string& written) -> Parsed<std::string> {
            const auto full = (base_dir / written).lexically_normal();
            if (full.has_filename()) return full.string();
            if (kind == PathKind::kFile) {
                return tl::unexpected<std::string>("must be the path of a file" + shown_as(scalar));
            }
            return full.has_relative_path() ? full.parent_path().string() : full.string();
        });
    };
}

}  // namespace jobhost::config
