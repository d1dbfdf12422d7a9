#include <algorithm>
#include <map>

#include "storage/enqueue_rules.h"
#include "storage/overloaded.h"
#include "storage/sqlite/claimer.h"
#include "storage/sqlite/dead_letter_run.h"
#include "storage/sqlite/enqueue_batch.h"
#include "storage/sqlite/requests.h"
#include "storage/sqlite/sqlite_store.h"
#include "storage/sqlite/transitions.h"

namespace jobhost::sqlite {
namespace {

using Outcome = WriteAnswer::Outcome;

/// From here on a session keeps more pages in memory; after so many exchanges without any work it
/// lets them go.
constexpr std::size_t kManyItems = 64;
constexpr int kIdleExchanges = 20;

/// Reasons why items can never be stored, by index; known before the transaction.
using Refusals = std::map<std::size_t, std::string>;

std::optional<std::string> refusal_of(std::span<const NewJob> jobs, std::size_t max_input_bytes) {
    const auto refusal = check_jobs(jobs, max_input_bytes);
    if (!refusal) return std::nullopt;
    if (jobs.size() == 1) return refusal->reason;
    return "job " + std::to_string(refusal->index + 1) + ": " + refusal->reason;
}

std::optional<std::string> refusal_of(const Write& write, std::size_t max_input_bytes) {
    if (const auto* more = std::get_if<EnqueueJobs>(&write)) {
        return refusal_of(more->jobs, max_input_bytes);
    }
    if (const auto* report = std::get_if<RunReport>(&write)) {
        const auto* success = std::get_if<Succeed>(&report->next);
        return success != nullptr ? refusal_of(success->jobs, max_input_bytes) : std::nullopt;
    }
    const auto* save = std::get_if<SaveCheckpoint>(&write);
    if (save == nullptr || save->json.empty()) return std::nullopt;
    if (save->json.size() > max_input_bytes) return "the checkpoint is larger than an input may be";
    if (const auto mistake = check_json(save->json))
        return "the checkpoint is not JSON: " + *mistake;
    return std::nullopt;
}

Refusals refusals_of(std::span<const Write> writes, std::size_t max_input_bytes) {
    Refusals refusals;
    for (std::size_t index = 0; index < writes.size(); ++index) {
        if (auto reason = refusal_of(writes[index], max_input_bytes)) {
            refusals.emplace(index, std::move(*reason));
        }
    }
    return refusals;
}

Durability durability_of(std::span<const Write> writes) {
    const bool notes = std::ranges::all_of(
        writes, [](const Write& write) { return std::holds_alternative<RunNote>(write); });
    return notes ? Durability::kFast : Durability::kDurable;
}

WriteAnswer enqueue_more(Session& session, const EnqueueJobs& more, TimePoint now) {
    EnqueueBatch batch(session, more.jobs, now);
    if (auto refusal = batch.resolve_keys()) {
        return {.outcome = Outcome::kRefused, .reason = std::move(refusal->reason)};
    }
    return {.enqueued = batch.store()};
}

/// Applies the writes of one exchange.
class Writer {
public:
    Writer(Session& session, NodeId node, TimePoint now, const Refusals& refusals)
        : session_(session),
          node_(node),
          now_(now),
          refusals_(refusals),
          transitions_(session, node, now) {}

    WriteAnswer apply(std::size_t index, const Write& write) {
        if (const Lease* lease = lease_of(write); lease != nullptr && lease->node != node_) {
            return {.outcome = Outcome::kLeaseLost};
        }
        if (const auto refused = refusals_.find(index); refused != refusals_.end()) {
            return {.outcome = Outcome::kRefused, .reason = refused->second};
        }
        return std::visit(
            Overloaded{
                [&](const RunReport& report) { return transitions_.apply(report); },
                [&](const RunNote& note) { return transitions_.apply(note); },
                [&](const SaveCheckpoint& save) { return transitions_.apply(save); },
                [&](const EnqueueJobs& more) { return enqueue_more(session_, more, now_); },
                [&](const StartDeadLetter& start) {
                    return start_dead_letter(session_, node_, start, now_);
                },
                [&](const FinishDeadLetter& finish) {
                    return finish_dead_letter(session_, node_, finish, now_);
                },
            },
            write);
    }

    /// As apply(), but an item whose values the engine cannot store is undone and refused alone.
    WriteAnswer apply_alone(std::size_t index, const Write& write) {
        session_.query("SAVEPOINT item").run();
        const Counts before = session_.counts();
        try {
            WriteAnswer answer = apply(index, write);
            session_.query("RELEASE item").run();
            return answer;
        } catch (const RowError& error) {
            session_.query("ROLLBACK TO item").run();
            session_.query("RELEASE item").run();
            session_.counts() = before;
            session_.names().rolled_back();
            return {.outcome = Outcome::kRefused, .reason = error.what()};
        }
    }

private:
    static const Lease* lease_of(const Write& write) {
        if (const auto* report = std::get_if<RunReport>(&write)) return &report->lease;
        if (const auto* note = std::get_if<RunNote>(&write)) return &note->lease;
        if (const auto* save = std::get_if<SaveCheckpoint>(&write)) return &save->lease;
        return nullptr;
    }

    Session& session_;
    const NodeId node_;
    const TimePoint now_;
    const Refusals& refusals_;
    Transitions transitions_;
};

std::optional<std::string> service_of_live_node(Session& session, NodeId node) {
    Query row = session.query("SELECT service FROM node WHERE id = ? AND state = 0");
    row.bind_all(node);
    if (!row.step()) return std::nullopt;
    return row.text(0);
}

bool has_demand(std::span<const Demand> demands) {
    return std::ranges::any_of(
        demands, [](const Demand& demand) { return demand.free > 0 || demand.prefetch > 0; });
}

}  // namespace

void SqliteStore::set_claim_plan(std::vector<ClaimQueue> plan) {
    claimer_->set_plan(std::move(plan));
}

Exchanged SqliteStore::exchange(NodeId node, std::span<const Write> writes,
                                std::span<const Demand> demands) {
    const Refusals refusals = refusals_of(writes, max_input_bytes_);
    std::size_t wanted = writes.size();
    for (const Demand& demand : demands) {
        wanted += static_cast<std::size_t>(std::max(demand.free + demand.prefetch, 0));
    }
    if (wanted >= kManyItems && !writes.empty()) session_.use_large_cache();

    // All items together first; when one of them cannot be stored, once more, each by itself.
    for (const bool alone : {false, true}) {
        try {
            Exchanged exchanged = session_.transact(durability_of(writes), [&] {
                Exchanged result;
                const auto service = service_of_live_node(session_, node);
                result.node_alive = service.has_value();
                if (!result.node_alive) return result;
                const TimePoint at = session_.now();
                {
                    Writer writer(session_, node, at, refusals);
                    result.answers.reserve(writes.size());
                    for (std::size_t index = 0; index < writes.size(); ++index) {
                        result.answers.push_back(alone ? writer.apply_alone(index, writes[index])
                                                       : writer.apply(index, writes[index]));
                    }
                }
                if (has_demand(demands)) claimer_->claim(node, *service, demands, at, result);
                result.requests = take_requests(session_, node);
                return result;
            });
            const bool idle = writes.empty() && exchanged.claimed.empty();
            idle_exchanges_ = idle ? idle_exchanges_ + 1 : 0;
            if (idle_exchanges_ == kIdleExchanges) session_.release_memory();
            return exchanged;
        } catch (const RowError&) {
            claimer_->rolled_back();
            if (alone) throw;
        } catch (...) {
            claimer_->rolled_back();
            throw;
        }
    }
    return {};
}

}  // namespace jobhost::sqlite
