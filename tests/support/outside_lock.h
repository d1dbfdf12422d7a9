#pragma once

#include <sqlite3.h>
#include <stdexcept>
#include <string>

namespace jobhost {

/// Holds the store's write lock from outside, as a backup tool or a stopped process would.
class OutsideLock {
public:
    explicit OutsideLock(const std::string& path) {
        if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) fail();
        sqlite3_busy_timeout(database_, 10'000);
        if (sqlite3_exec(database_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) != SQLITE_OK) {
            fail();
        }
    }
    ~OutsideLock() { sqlite3_close(database_); }
    OutsideLock(const OutsideLock&) = delete;
    OutsideLock& operator=(const OutsideLock&) = delete;

private:
    [[noreturn]] void fail() {
        const std::string why = sqlite3_errmsg(database_);
        sqlite3_close(database_);
        throw std::runtime_error("cannot lock the store from outside: " + why);
    }

    sqlite3* database_ = nullptr;
};

}  // namespace jobhost
