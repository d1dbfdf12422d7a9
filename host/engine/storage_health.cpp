#include "host/engine/storage_health.h"

namespace jobhost {

void StorageHealth::down(const char* who, const std::string& what) {
    const std::lock_guard lock(mutex_);
    const bool first = away_for_.empty();
    away_for_.insert(who);
    if (first) events_.storage_down(who, what);
}

void StorageHealth::up(const char* who) {
    const std::lock_guard lock(mutex_);
    if (away_for_.erase(who) > 0 && away_for_.empty()) events_.storage_up(who);
}

}  // namespace jobhost
