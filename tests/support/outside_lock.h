#pragma once

#include <sqlite3.h>
#include <string>

#include <gtest/gtest.h>

namespace jobhost {

/// Holds the store's write lock from outside, as a backup tool or a stopped process would.
class OutsideLock {
public:
    explicit OutsideLock(const std::string& path) {
        if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) ADD_FAILURE() << "cannot open";
        sqlite3_busy_timeout(database_, 10'000);
        if (sqlite3_exec(database_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) != SQLITE_OK) {
            ADD_FAILURE() << sqlite3_errmsg(database_);
        }
    }
    ~OutsideLock() { sqlite3_close(database_); }
    OutsideLock(const OutsideLock&) = delete;
    OutsideLock& operator=(const OutsideLock&) = delete;

private:
    sqlite3* database_ = nullptr;
};

}  // namespace jobhost
