#include "tests/torture/store_facts.h"

#include <array>
#include <sstream>
#include <stdexcept>

namespace jobhost::torture {
namespace {

using Sql = std::function<std::string(const std::string&)>;

/// Every place that a job is in: 1 pending, 2 running, 4 to 7 as in `done`.
constexpr const char* kJobs =
    "SELECT j.id, t.text, coalesce(s.state, 0), coalesce(s.attempts, 0), "
    "coalesce(s.max_attempts, 0), coalesce(s.fence, 0), coalesce(n.service, ''), "
    "coalesce(j.idempotency_key, ''), j.source "
    "FROM job j JOIN name t ON t.id = (j.lane & 4294967295) LEFT JOIN ("
    "SELECT id, 1 AS state, attempts, NULL AS max_attempts, fence, 0 AS node FROM pending UNION "
    "ALL "
    "SELECT id, 2, attempts, max_attempts, fence, node FROM running UNION ALL "
    "SELECT id, state, attempts, max_attempts, fence, node FROM done UNION ALL "
    "SELECT id, 5, attempts, max_attempts, fence, node FROM dead) s ON s.id = j.id "
    "LEFT JOIN node n ON n.id = s.node ORDER BY j.id";
constexpr const char* kFaults = "SELECT id, fence, type FROM fault ORDER BY id, fence";
constexpr const char* kDeadLetters =
    "SELECT d.id, d.fence, t.text, d.kind, d.name, d.state, coalesce(n.service, '') "
    "FROM dead_letter d JOIN name t ON t.id = d.type LEFT JOIN node n ON n.id = d.node ORDER BY "
    "d.run";
constexpr const char* kTags = "SELECT tag, count(*) FROM tag GROUP BY tag";
constexpr const char* kCounted =
    "SELECT coalesce(sum(waiting), 0), coalesce(sum(processing), 0), coalesce(sum(succeeded), 0), "
    "coalesce(sum(failed), 0), coalesce(sum(expired), 0), coalesce(sum(cancelled), 0) FROM tally";
constexpr const char* kOpen =
    "SELECT (SELECT count(*) FROM pending) + (SELECT count(*) FROM running) + "
    "(SELECT count(*) FROM dead_letter WHERE state < 2)";

std::string state_name(const std::string& state) {
    static constexpr std::array kNames = {"nowhere",   "waiting", "processing", "nowhere",
                                          "succeeded", "failed",  "expired",    "cancelled"};
    return kNames.at(std::stoul(state));
}

std::vector<std::vector<std::string>> rows_of(const Sql& sql, const std::string& query,
                                              std::size_t columns) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(sql(query));
    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> row(1);
        for (const char c : line) {
            if (c == '|') {
                row.emplace_back();
            } else {
                row.back() += c;
            }
        }
        if (row.size() != columns) throw std::runtime_error("the store answered: " + line);
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<StoredJob> read_jobs(const Sql& sql) {
    std::vector<StoredJob> jobs;
    for (const auto& row : rows_of(sql, kJobs, 9)) {
        const std::int64_t id = std::stoll(row[0]);
        if (!jobs.empty() && jobs.back().id == id) {
            ++jobs.back().places;
            continue;
        }
        jobs.push_back({.id = id,
                        .type = row[1],
                        .state = state_name(row[2]),
                        .places = row[2] == "0" ? 0 : 1,
                        .attempts = std::stoi(row[3]),
                        .max_attempts = std::stoi(row[4]),
                        .fence = std::stoll(row[5]),
                        .service = row[6],
                        .key = row[7],
                        .source = row[8]});
    }
    return jobs;
}

}  // namespace

StoreFacts read_store(const Sql& sql) {
    StoreFacts facts;
    facts.jobs = read_jobs(sql);
    for (const auto& row : rows_of(sql, kFaults, 3)) {
        facts.faults.push_back(
            {.job = std::stoll(row[0]), .fence = std::stoll(row[1]), .type = row[2]});
    }
    for (const auto& row : rows_of(sql, kDeadLetters, 7)) {
        facts.dead_letters.push_back({.job = std::stoll(row[0]),
                                      .fence = std::stoll(row[1]),
                                      .type = row[2],
                                      .is_handler = row[3] == "1",
                                      .name = row[4],
                                      .state = std::stoi(row[5]),
                                      .service = row[6]});
    }
    for (const auto& row : rows_of(sql, kTags, 2)) {
        facts.tags.push_back({.tag = row[0], .jobs = std::stoll(row[1])});
    }
    constexpr std::array kStates = {"waiting", "processing", "succeeded",
                                    "failed",  "expired",    "cancelled"};
    for (const auto& row : rows_of(sql, kCounted, kStates.size())) {
        for (std::size_t i = 0; i < kStates.size(); ++i) {
            facts.counted[kStates[i]] = std::stoll(row[i]);
        }
    }
    return facts;
}

std::int64_t count_open(const Sql& sql) {
    const std::string answer = sql(kOpen);
    try {
        return std::stoll(answer);
    } catch (const std::logic_error&) {
        throw std::runtime_error("the store answered: " + answer);
    }
}

}  // namespace jobhost::torture
