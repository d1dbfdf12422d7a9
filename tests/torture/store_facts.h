#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace jobhost::torture {

struct StoredJob {
    std::int64_t id = 0;
    std::string type = {};
    std::string state = {};  // waiting, processing, succeeded, failed, expired, cancelled
    int places = 1;          // in how many tables of states it is
    int attempts = 0;
    int max_attempts = 0;  // 0: not fixed yet
    std::int64_t fence = 0;
    std::string service =
        {};  // of the node that stored its end; empty: none, or not known any more
    std::string key = {};
    std::string source = {};
};

struct StoredFault {
    std::int64_t job = 0;
    std::int64_t fence = 0;
    std::string type = {};
};

struct StoredDeadLetter {
    std::int64_t job = 0;
    std::int64_t fence = 0;
    std::string type = {};  // of the job
    bool is_handler = true;
    std::string name = {};
    int state = 0;             // 0 owed, 1 started, above: over
    std::string service = {};  // of its node; empty: not known any more
};

struct StoredTag {
    std::string tag = {};
    std::int64_t jobs = 0;
};

/// What the store says when all hosts have ended, asked past jobhost.
struct StoreFacts {
    std::vector<StoredJob> jobs = {};
    std::vector<StoredFault> faults = {};
    std::vector<StoredDeadLetter> dead_letters = {};
    std::vector<StoredTag> tags = {};
    std::map<std::string, std::int64_t> counted =
        {};  // jobs of each state, as the store counts itself
    std::string integrity = "ok";
};

/// `sql` answers rows as the sqlite3 shell prints them.
StoreFacts read_store(const std::function<std::string(const std::string&)>& sql);

/// How many jobs and dead-letter runs have not ended. Throws when the store does not answer.
std::int64_t count_open(const std::function<std::string(const std::string&)>& sql);

}  // namespace jobhost::torture
