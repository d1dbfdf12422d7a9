// One application that enqueues: jobs of every kind, with and without keys, one by one and in bulk,
// until it is killed. What it got an id for goes into the ledger.
//
//   torture_enqueuer URL SCHEMA SERVICE NUMBER SEED LEDGER
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <jobhost/client.hpp>

#include "tests/torture/ledger_file.h"
#include "tests/torture/sql_way.h"

namespace {

using namespace std::chrono_literals;
using jobhost::client::Client;
using jobhost::client::Enqueued;
using jobhost::client::Error;
using jobhost::client::NewJob;
using jobhost::client::OnDuplicate;
using jobhost::torture::append_line;
using jobhost::torture::SqlWay;

constexpr auto kPause = 25ms;
constexpr int kBulk = 15;
constexpr int kRepeats = 20;  // of one enqueue whose outcome is not known

struct Place {
    std::string service;
    std::string number;
    std::string ledger;
};

class Orders {
public:
    Orders(const Place& place, std::uint64_t seed) : place_(place), chance_(seed) {}

    NewJob next() {
        NewJob job{.type = place_.service + ".work"};
        const int kind = below(100);
        auto& options = job.options;
        if (kind < 60) job.input = R"({"ms":)" + std::to_string(below(20)) + "}";
        if (kind >= 60 && kind < 70) job.input = R"({"fail":2})";
        if (kind >= 70 && kind < 74) {
            job.input = R"({"fail":1000})";
            options.max_attempts = 3;
        }
        if (kind >= 74 && kind < 77) job.input = R"({"then":"invalid"})";
        if (kind >= 77 && kind < 79) job.input = R"({"then":"give_up"})";
        if (kind >= 79 && kind < 84) {
            job.input = R"({"ms":)" + std::to_string(200 + below(1200)) + "}";
        }
        if (kind >= 84 && kind < 86) {
            job.input = R"({"then":"deaf","ms":)" + std::to_string(200 + below(1500)) + "}";
        }
        if (kind >= 86 && kind < 88) job.input = R"({"then":"discard"})";
        if (kind >= 88 && kind < 90) job.input = R"({"then":"snooze"})";
        if (kind >= 90 && kind < 92) {
            job.input = R"({"ms":700})";
            options.timeout = 150ms;
            options.max_attempts = 2;
        }
        if (kind >= 92 && kind < 94) {
            job.input = R"({"then":"deaf","ms":500})";
            options.timeout = 150ms;
            options.max_attempts = 2;
        }
        if (kind >= 94 && kind < 98) job.input = R"({"then":"child"})";
        if (kind >= 98) {
            job.input = "{}";
            options.deadline_after = 300ms;
        }
        options.priority =
            below(2) == 0 ? jobhost::client::Priority::kHigh : jobhost::client::Priority::kNormal;
        if (below(4) == 0) options.delay = std::chrono::milliseconds(below(800));
        add_key(job);
        return job;
    }

    int below(int end) { return static_cast<int>(chance_() % static_cast<std::uint64_t>(end)); }

private:
    /// Enqueuers of one service take the same keys at about the same time, each some times.
    void add_key(NewJob& job) {
        const int how = below(3);
        if (how == 0) return;
        const auto moment = std::chrono::steady_clock::now().time_since_epoch() / 200ms;
        const std::string key = std::to_string(moment) + "-" + std::to_string(below(3));
        job.options.idempotency_key = (how == 1 ? "once-" : "again-") + key;
        job.options.on_duplicate =
            how == 1 ? OnDuplicate::kRejectAlways : OnDuplicate::kAllowAfterFailed;
    }

    const Place& place_;
    std::mt19937_64 chance_;
};

void accepted(const Place& place, const NewJob& job, const Enqueued& answer) {
    append_line(place.ledger,
                "accepted id=" + std::to_string(answer.id) + " service=" + place.service +
                    " key=" + job.options.idempotency_key.value_or("") +
                    " mode=" + (answer.duplicate ? "old" : "new") + " by=" + place.number);
}

void enqueue_one(Client& client, const Place& place, const NewJob& job) {
    for (int turn = 0; turn < kRepeats; ++turn) {
        try {
            accepted(place, job, client.enqueue(job));
            return;
        } catch (const Error& error) {
            if (error.kind() == Error::Kind::kUnusable) throw;
            const bool may_repeat = job.options.idempotency_key.has_value() &&
                                    error.kind() == Error::Kind::kOutcomeUnknown;
            append_line(place.ledger, std::string("refused by=") + place.number + " kind=" +
                                          std::to_string(static_cast<int>(error.kind())));
            if (!may_repeat) return;
            std::this_thread::sleep_for(100ms);
        }
    }
}

void enqueue_bulk(Client& client, const Place& place, int number) {
    const std::string tag = "bulk-" + place.number + "-" + std::to_string(number);
    std::vector<NewJob> jobs;
    for (int i = 0; i < kBulk; ++i) {
        jobs.push_back({.type = place.service + ".work", .input = "{}"});
        jobs.back().options.tags = {tag};
    }
    append_line(place.ledger, "bulk tag=" + tag + " size=" + std::to_string(kBulk));
    const std::vector<Enqueued> answers = client.enqueue_all(jobs);
    for (std::size_t i = 0; i < answers.size(); ++i) accepted(place, jobs[i], answers[i]);
}

void enqueue_from_sql(SqlWay& sql, const Place& place, const NewJob& job, bool in_vain) {
    if (in_vain) {
        const auto id = sql.enqueue_in_vain(job);
        if (id) append_line(place.ledger, "rolled_back id=" + std::to_string(*id));
    } else if (const auto answer = sql.enqueue(job)) {
        accepted(place, job, *answer);
    }
}

void work(const jobhost::client::Settings& settings, const Place& place, std::uint64_t seed) {
    Orders orders(place, seed);
    SqlWay sql(settings.url, settings.schema);
    const bool has_sql = settings.url.starts_with("postgresql:");
    std::unique_ptr<Client> client;
    for (int number = 0;; ++number) {
        std::this_thread::sleep_for(kPause);
        try {
            if (!client) client = std::make_unique<Client>(settings);
            if (orders.below(25) == 0) {
                enqueue_bulk(*client, place, number);
            } else if (has_sql && orders.below(4) == 0) {
                enqueue_from_sql(sql, place, orders.next(), orders.below(3) == 0);
            } else {
                enqueue_one(*client, place, orders.next());
            }
        } catch (const Error& error) {
            std::cerr << error.what() << std::endl;
            if (error.kind() == Error::Kind::kUnusable) client.reset();
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 7) return 2;
    const Place place{.service = argv[3], .number = argv[4], .ledger = argv[6]};
    jobhost::client::Settings settings{.url = argv[1], .source = "torture"};
    if (argv[2][0] != '\0') settings.schema = argv[2];
    settings.lock_timeout = 1500ms;
    try {
        work(settings, place, std::stoull(argv[5]));
    } catch (const std::exception& error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
}
