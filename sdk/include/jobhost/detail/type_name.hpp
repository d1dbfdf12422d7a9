#pragma once

// Names of types, and of all their public base classes, found at run time.

#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include <jobhost/detail/config.hpp>

namespace jobhost {
inline namespace v1 {
namespace detail {

inline void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
    }
}

/// A type's name as jobhost compares it: without inline namespaces, ABI tags and
/// "(anonymous namespace)::", wherever they stand.
inline std::string normalised_type_name(std::string name) {
    replace_all(name, "std::__1::", "std::");
    replace_all(name, "std::__cxx11::", "std::");
    replace_all(name, "jobhost::v1::", "jobhost::");
    replace_all(name, "(anonymous namespace)::", "");
    for (std::size_t at = 0; (at = name.find("[abi:", at)) != std::string::npos;) {
        const std::size_t end = name.find(']', at);
        if (end == std::string::npos) break;
        name.erase(at, end - at + 1);
    }
    return name;
}

inline std::string type_name(const std::type_info& type) {
    int status = 0;
    char* demangled = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::string name = status == 0 && demangled != nullptr ? demangled : type.name();
    std::free(demangled);
    return normalised_type_name(std::move(name));
}

template <class T>
std::string type_name() {
    return type_name(typeid(T));
}

// The Itanium C++ ABI fixes these layouts (section 2.9.5), and libstdc++ and libc++abi share them.
// libc++abi does not publish the classes, so they are read through mirrors; which of them a
// type_info is says its own dynamic type, found in front of its vtable.
struct BaseClassMirror {
    const std::type_info* type;
    long offset_flags;
};
struct SingleInheritanceMirror {
    const void* vtable;
    const char* name;
    const std::type_info* base;
};
struct MultipleInheritanceMirror {
    const void* vtable;
    const char* name;
    unsigned flags;
    unsigned base_count;
    BaseClassMirror bases[1];
};
inline constexpr long kPublicBase = 2;

inline const char* kind_of(const std::type_info& type) noexcept {
    const auto* vtable = *reinterpret_cast<const std::type_info* const* const*>(&type);
    return vtable[-1]->name();
}

/// Direct public bases, as a catch clause would see them.
inline std::vector<const std::type_info*> direct_bases(const std::type_info& type) {
    std::vector<const std::type_info*> bases;
    const char* kind = kind_of(type);
    if (std::strstr(kind, "__si_class_type_info") != nullptr) {
        bases.push_back(reinterpret_cast<const SingleInheritanceMirror*>(&type)->base);
    } else if (std::strstr(kind, "__vmi_class_type_info") != nullptr) {
        const auto* mirror = reinterpret_cast<const MultipleInheritanceMirror*>(&type);
        const BaseClassMirror* base = mirror->bases;
        for (unsigned i = 0; i < mirror->base_count; ++i, ++base) {
            if ((base->offset_flags & kPublicBase) != 0) bases.push_back(base->type);
        }
    }
    return bases;
}

/// All public bases, direct and indirect, nearest first, each once.
inline std::vector<const std::type_info*> all_bases(const std::type_info& type) {
    std::vector<const std::type_info*> found{&type};
    for (std::size_t i = 0; i < found.size(); ++i) {
        for (const std::type_info* base : direct_bases(*found[i])) {
            bool known = false;
            for (const std::type_info* other : found) known = known || *other == *base;
            if (!known) found.push_back(base);
        }
    }
    found.erase(found.begin());
    return found;
}

inline std::vector<std::string> base_names(const std::type_info& type) {
    std::vector<std::string> names;
    for (const std::type_info* base : all_bases(type)) names.push_back(type_name(*base));
    return names;
}

}  // namespace detail
}  // namespace v1
}  // namespace jobhost
