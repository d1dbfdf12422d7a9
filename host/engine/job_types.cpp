#include "host/engine/job_types.h"

#include <algorithm>

namespace jobhost {
namespace {

template <class Item>
const Item* find_named(const std::vector<Item>& items, std::string_view name) {
    const auto found = std::ranges::find(items, name, &Item::name);
    return found == items.end() ? nullptr : &*found;
}

}  // namespace

const LoadedType* JobTypes::find(std::string_view name) const {
    return find_named(types, name);
}

const LoadedForwarder* JobTypes::find_forwarder(std::string_view name) const {
    return find_named(forwarders, name);
}

const LoadedDelay* JobTypes::find_delay(std::string_view name) const {
    return find_named(delays, name);
}

std::vector<std::string> JobTypes::type_names() const {
    std::vector<std::string> names;
    for (const LoadedType& type : types) names.push_back(type.name);
    return names;
}

}  // namespace jobhost
