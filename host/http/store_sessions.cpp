#include "host/http/store_sessions.h"

#include <utility>

namespace jobhost::http {

std::unique_ptr<Store> StoreSessions::take() {
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            auto session = std::move(idle_.back());
            idle_.pop_back();
            return session;
        }
    }
    return handle_.open_session();
}

void StoreSessions::give_back(std::unique_ptr<Store> session) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(session));
}

}  // namespace jobhost::http
