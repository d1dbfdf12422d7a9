#include "storage/sql/session.h"

#include <unistd.h>
#include <utility>

namespace jobhost::sql {

Session::Session() : process_(getpid()) {}

bool Session::is_own_process() const {
    return getpid() == process_;
}

void Session::check_process() const {
    if (is_own_process()) return;
    throw StorageError(StorageError::Kind::kMisused,
                       "a session with the store does not survive a "
                       "fork");
}

bool Session::take_announcement() {
    return std::exchange(announce_, false);
}

void Session::forget_changes() {
    counts_.clear();
    names_.rolled_back();
    announce_ = false;
}

}  // namespace jobhost::sql
