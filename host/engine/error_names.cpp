#include "host/engine/error_names.h"

#include <algorithm>
#include <cctype>
#include <functional>

namespace jobhost {
namespace {

void remove_all(std::string& text, std::string_view part) {
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;) {
        text.erase(at, part.size());
    }
}

void remove_abi_tags(std::string& text) {
    for (std::size_t at = 0; (at = text.find("[abi:", at)) != std::string::npos;) {
        const std::size_t end = text.find(']', at);
        text.erase(at, end == std::string::npos ? std::string::npos : end - at + 1);
    }
}

/// `std::__1::`, `std::filesystem::__cxx11::` and whatever else a standard library calls its own:
/// names that begin with two underscores are reserved to it.
void remove_reserved_namespaces(std::string& text) {
    constexpr std::string_view kStart = "::__";
    for (std::size_t at = 0; (at = text.find(kStart, at)) != std::string::npos;) {
        std::size_t end = at + kStart.size();
        while (end < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) {
            ++end;
        }
        if (text.compare(end, 2, "::") != 0) {
            at = end;
            continue;
        }
        text.erase(at, end - at);
    }
}

/// Calls `visit` with each name of the error, most derived first, then those of each cause, until
/// it answers true.
void each_name(const ThrownError& error, const std::function<bool(const std::string&)>& visit) {
    if (visit(error.error.type)) return;
    for (const std::string& name : error.error.types) {
        if (visit(name)) return;
    }
    for (const auto& cause : error.causes) {
        for (const std::string& name : cause) {
            if (visit(name)) return;
        }
    }
}

}  // namespace

std::string normalised_type_name(std::string_view name) {
    std::string text(name);
    remove_abi_tags(text);
    remove_reserved_namespaces(text);
    remove_all(text, "(anonymous namespace)::");
    remove_all(text, "{anonymous}::");
    for (std::size_t at = 0; (at = text.find("jobhost::v1::", at)) != std::string::npos;) {
        text.erase(at + 9, 4);
    }
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

const Sourced<std::string>* find_listed(const ThrownError& error,
                                        const std::vector<Sourced<std::string>>& listed) {
    if (listed.empty()) return nullptr;
    const Sourced<std::string>* found = nullptr;
    each_name(error, [&](const std::string& raw) {
        const std::string name = normalised_type_name(raw);
        const auto hit = std::ranges::find(listed, name, &Sourced<std::string>::value);
        if (hit == listed.end()) return false;
        found = &*hit;
        return true;
    });
    return found;
}

const Sourced<OnError>* find_on(const ThrownError& error,
                                const std::vector<std::vector<Sourced<OnError>>>& levels) {
    for (const auto& level : levels) {
        const Sourced<OnError>* found = nullptr;
        each_name(error, [&](const std::string& raw) {
            const std::string name = normalised_type_name(raw);
            for (const auto& entry : level) {
                if (entry.value.type != name) continue;
                found = &entry;
                return true;
            }
            return false;
        });
        if (found != nullptr) return found;
    }
    return nullptr;
}

}  // namespace jobhost
