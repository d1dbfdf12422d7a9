#include "tests/torture/injector.h"

#include <algorithm>

#include "storage/postgres/connection.h"
#include "storage/storage_error.h"
#include "tests/torture/ledger_file.h"

namespace jobhost::torture {
namespace {

using std::chrono::milliseconds;

constexpr int kMostWorkers = 12;
constexpr const char* kSome = "6";  // jobs that an operator takes at a time

std::string service_of(const Fault& fault) {
    return kServices[static_cast<std::size_t>(fault.target) % kServices.size()];
}

void terminate_backends(const std::string& url) {
    try {
        postgres::Connection({.url = url})
            .exec(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND usename = 'jobs'");
    } catch (const StorageError&) {  // the server restarts just now, which cuts them too
    }
}

}  // namespace

Injector::Injector(test::Site& site, Crew& crew, Surroundings surroundings)
    : site_(site), crew_(crew), surroundings_(surroundings) {}

Injector::~Injector() = default;

void Injector::inject(const Fault& fault) {
    ++injected_[fault.kind];
    if (fault.kind == FaultKind::kFullDisk && surroundings_.disk == nullptr) {
        skip(fault, "a small disk takes root");
        return;
    }
    inject_in_crew(fault);
    inject_around(fault);
}

void Injector::inject_in_crew(const Fault& fault) {
    const int target = fault.target;
    switch (fault.kind) {
        case FaultKind::kKill: crew_.kill_host(target); break;
        case FaultKind::kStop:
            crew_.pause_host(target);
            undo_later(fault, [this, target] { crew_.continue_host(target); });
            break;
        case FaultKind::kStopInTransaction:
            crew_.pause_in_transaction(target);
            undo_later(fault, [this, target] { crew_.continue_host(target); });
            break;
        case FaultKind::kKillInTransaction: crew_.kill_in_transaction(target); break;
        case FaultKind::kTerminate: crew_.terminate_host(target); break;
        case FaultKind::kTwin:
            if (!crew_.start_twin(target)) {
                skip(fault, "the host has a twin already, or has just ended");
                break;
            }
            undo_later(fault, [this, target] { crew_.end_twin(target); });
            break;
        case FaultKind::kKillEnqueuer: crew_.kill_enqueuer(target); break;
        case FaultKind::kKillEnqueuerInTransaction:
            crew_.kill_enqueuer_in_transaction(target);
            break;
        case FaultKind::kClockStep:
            if (surroundings_.engine == Engine::kSqlite) {
                crew_.set_clock(fault.amount, std::nullopt);
            } else {
                crew_.set_clock(fault.amount, target);
            }
            break;
        case FaultKind::kReload:
            crew_.reload(target, 1 + static_cast<int>(fault.at.count() % kMostWorkers));
            break;
        case FaultKind::kSlowSync:
            crew_.set_sync_delay(target, fault.amount);
            undo_later(fault, [this, target] { crew_.set_sync_delay(target, milliseconds(0)); });
            break;
        default: break;
    }
}

void Injector::inject_around(const Fault& fault) {
    switch (fault.kind) {
        case FaultKind::kLock:
            beside([this, lasts = fault.lasts] {
                const auto lock = site_.block_outcomes();
                std::this_thread::sleep_for(lasts);
            });
            break;
        case FaultKind::kFullDisk:
            beside([this, lasts = fault.lasts] {
                const auto filler = surroundings_.disk->fill();
                std::this_thread::sleep_for(lasts);
            });
            break;
        case FaultKind::kAbort: enqueue_poison(fault, R"({"then":"abort","ms":20})"); break;
        case FaultKind::kExit: enqueue_poison(fault, R"({"then":"exit","ms":20})"); break;
        case FaultKind::kHang:
            enqueue_poison(fault,
                           R"({"then":"deaf","ms":)" + std::to_string(fault.lasts.count()) + "}");
            break;
        case FaultKind::kCancel:
            beside([this, service = service_of(fault)] { cancel_some(service); });
            break;
        case FaultKind::kRequeue:
            beside([this, service = service_of(fault)] { requeue_some(service); });
            break;
        case FaultKind::kServerCrash:
            // One at a time: a server that is on its way up cannot be crashed.
            if (!server_is_up_->exchange(false)) {
                skip(fault, "the server restarts already");
                break;
            }
            beside([this] {
                surroundings_.server->stop("immediate");
                surroundings_.server->restart();
                server_is_up_->store(true);
            });
            break;
        case FaultKind::kTerminateBackends:
            beside([url = surroundings_.server->url(true)] { terminate_backends(url); });
            break;
        default: break;
    }
}

/// By an operator, whose command may fail as any other.
void Injector::enqueue_poison(const Fault& fault, const std::string& input) {
    beside([this, service = service_of(fault), input] {
        const test::Finished enqueued = site_.command(
            service,
            {"enqueue", service + ".work", "--input", input, "--max-attempts", "2", "--json"});
        if (enqueued.exit_code != 0) return;
        const auto answer = nlohmann::json::parse(enqueued.out);
        append_line(site_.ledger().string(), "accepted id=" + answer.at("id").get<std::string>() +
                                                 " service=" + service +
                                                 " key= mode=new by=operator");
    });
}

/// The newest: some wait, some run, some have ended.
void Injector::cancel_some(const std::string& service) {
    std::vector<std::string> words = {"jobs", "cancel"};
    for (const auto& job :
         site_.json(service, {"jobs", "list", "--type", service + ".work", "--limit", kSome})
             .at("items")) {
        words.push_back(job.at("id").get<std::string>());
    }
    if (words.size() > 2) site_.command(service, words);
}

void Injector::requeue_some(const std::string& service) {
    for (const char* state : {"failed", "cancelled"}) {
        std::vector<std::string> words = {"jobs", "requeue"};
        for (const auto& job : site_
                                   .json(service, {"jobs", "list", "--type", service + ".work",
                                                   "--state", state, "--limit", kSome})
                                   .at("items")) {
            words.push_back(job.at("id").get<std::string>());
            // Before it happens: an operator who is not answered may have been heard.
            append_line(site_.ledger().string(), "requeue job=" + words.back());
        }
        if (words.size() > 2) site_.command(service, words);
    }
}

void Injector::undo_later(const Fault& fault, std::function<void()> what) {
    undos_.push_back({Clock::now() + fault.lasts, std::move(what)});
}

void Injector::beside(std::function<void()> what) {
    beside_.emplace_back([what = std::move(what), site = &site_] {
        try {
            what();
        } catch (const std::exception& error) {  // under faults a fault may not come about
            append_line(site->ledger().string(), std::string("fault ") + error.what());
        }
    });
}

void Injector::skip(const Fault& fault, const std::string& why) {
    --injected_[fault.kind];
    ++skipped_[name_of(fault.kind) + ": " + why];
}

void Injector::look_after() {
    const auto now = Clock::now();
    std::vector<Undo> due;
    std::erase_if(undos_, [&](Undo& undo) {
        if (undo.at > now) return false;
        due.push_back(std::move(undo));
        return true;
    });
    for (const Undo& undo : due) undo.what();
}

void Injector::end_all() {
    for (const Undo& undo : undos_) undo.what();
    undos_.clear();
    beside_.clear();
}

}  // namespace jobhost::torture
