#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "storage/store.h"

namespace jobhost::http {

/// Sessions with the store for the threads that answer: as many as answer at the same time, kept
/// for the next ones. Thread-safe.
class StoreSessions {
public:
    explicit StoreSessions(StoreHandle& handle) : handle_(handle) {}

    StoreHandle& handle() { return handle_; }

    /// What `ask(Store&)` answers. A session that broke down is not used again: a new one may find
    /// the store again. Throws what `ask` throws, and StorageError.
    template <class Ask>
    auto with(const Ask& ask) {
        std::unique_ptr<Store> session = take();
        struct Returned {
            StoreSessions& to;
            std::unique_ptr<Store>& session;
            const int thrown = std::uncaught_exceptions();
            ~Returned() {
                if (std::uncaught_exceptions() == thrown) to.give_back(std::move(session));
            }
        } returned{*this, session};
        return ask(*session);
    }

private:
    std::unique_ptr<Store> take();
    void give_back(std::unique_ptr<Store> session);

    StoreHandle& handle_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Store>> idle_;  // guarded by mutex_
};

}  // namespace jobhost::http
