#include "storage/sql/exchange_writer.h"

#include <algorithm>

#include "storage/enqueue_rules.h"
#include "storage/overloaded.h"
#include "storage/sql/dead_letter_run.h"

namespace jobhost::sql {
namespace {

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

const Lease* lease_of(const Write& write) {
    if (const auto* report = std::get_if<RunReport>(&write)) return &report->lease;
    if (const auto* note = std::get_if<RunNote>(&write)) return &note->lease;
    if (const auto* save = std::get_if<SaveCheckpoint>(&write)) return &save->lease;
    return nullptr;
}

}  // namespace

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

bool has_demand(std::span<const Demand> demands) {
    return std::ranges::any_of(
        demands, [](const Demand& demand) { return demand.free > 0 || demand.prefetch > 0; });
}

std::optional<std::string> service_of_live_node(Session& session, NodeId node) {
    Query row = session.query("SELECT service FROM node WHERE id = ? AND state = 0");
    row.bind_all(node);
    if (!row.step()) return std::nullopt;
    return row.text(0);
}

ExchangeWriter::ExchangeWriter(Session& session, NodeId node, TimePoint now,
                               const Refusals& refusals, const MakeBatch& make_batch)
    : session_(session),
      node_(node),
      now_(now),
      refusals_(refusals),
      make_batch_(make_batch),
      transitions_(session, node, now, &make_batch) {}

WriteAnswer ExchangeWriter::apply(std::size_t index, const Write& write) {
    if (const Lease* lease = lease_of(write); lease != nullptr && lease->node != node_) {
        return {.outcome = WriteAnswer::Outcome::kLeaseLost};
    }
    if (const auto refused = refusals_.find(index); refused != refusals_.end()) {
        return {.outcome = WriteAnswer::Outcome::kRefused, .reason = refused->second};
    }
    return std::visit(Overloaded{
                          [&](const RunReport& report) { return transitions_.apply(report); },
                          [&](const RunNote& note) { return transitions_.apply(note); },
                          [&](const SaveCheckpoint& save) { return transitions_.apply(save); },
                          [&](const EnqueueJobs& more) { return enqueue_more(more); },
                          [&](const StartDeadLetter& start) {
                              return start_dead_letter(session_, node_, start, now_);
                          },
                          [&](const FinishDeadLetter& finish) {
                              return finish_dead_letter(session_, node_, finish, now_);
                          },
                      },
                      write);
}

WriteAnswer ExchangeWriter::apply_alone(std::size_t index, const Write& write) {
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
        return {.outcome = WriteAnswer::Outcome::kRefused, .reason = error.what()};
    }
}

WriteAnswer ExchangeWriter::enqueue_more(const EnqueueJobs& more) {
    const std::unique_ptr<EnqueueBatch> batch = make_batch_(more.jobs, now_);
    if (auto refusal = batch->resolve_keys()) {
        return {.outcome = WriteAnswer::Outcome::kRefused, .reason = std::move(refusal->reason)};
    }
    return {.enqueued = batch->store(std::nullopt)};
}

}  // namespace jobhost::sql
