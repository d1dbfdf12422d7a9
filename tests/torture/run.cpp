#include "tests/torture/run.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <unistd.h>

#include "tests/support/postgres_server.h"
#include "tests/torture/checker.h"
#include "tests/torture/crew.h"
#include "tests/torture/disk.h"
#include "tests/torture/fault_plan.h"
#include "tests/torture/injector.h"

namespace jobhost::torture {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kLook = 10ms;
constexpr auto kDrainLimit = 120s;
constexpr auto kSettle = 1s;  // the hosts' first steps, before anything goes wrong
constexpr int kViolationsShown = 40;

/// One run, from the first host to the verdict.
class Run {
public:
    Run(const Options& options, std::uint64_t seed)
        : options_(options), seed_(seed), plan_(plan_faults(seed, options.engine, options.length)) {
        if (options.engine == Engine::kPostgres) {
            server_ = std::make_unique<PostgresServer>("/tmp/jobhost-torture-pg-" +
                                                       std::to_string(::getpid()));
            ::setenv("JOBHOST_TEST_POSTGRES", server_->folder().c_str(), 1);
        } else {
            ::unsetenv("JOBHOST_TEST_POSTGRES");
        }
        const bool has_disk = options.engine == Engine::kSqlite && Disk::prepare();
        site_ = std::make_unique<test::Site>("disk/jobs.db");
        if (has_disk) disk_ = std::make_unique<Disk>(site_->folder() / "disk");
    }

    int verdict() {
        Crew crew(*site_, seed_);
        std::vector<std::string> troubles = under_faults(crew);
        std::ranges::move(drain(crew), std::back_inserter(troubles));
        std::ranges::copy(crew.surprises(), std::back_inserter(troubles));
        hosts_ = crew.hosts_started();
        std::ifstream lines(site_->ledger());
        const Ledger ledger = read_ledger(lines);
        StoreFacts facts = read_store([&](const std::string& query) { return site_->sql(query); });
        facts.integrity = site_->integrity();
        const auto violations =
            check(ledger, facts, {.forgotten_claims = injected_.contains(FaultKind::kServerCrash)});
        say_counts(count(ledger, facts));
        say_wrong_deaths(ledger);
        const bool is_good = troubles.empty() && violations.empty();
        if (!is_good) say_failure(troubles, violations);
        if (!is_good || options_.keep) keep();
        return is_good ? 0 : 1;
    }

private:
    std::vector<std::string> under_faults(Crew& crew) {
        Injector injector(
            *site_, crew,
            {.engine = options_.engine, .disk = disk_.get(), .server = server_.get()});
        crew.start();
        const auto begin = Clock::now() + kSettle;
        auto next = plan_.begin();
        while (Clock::now() < begin + options_.length) {
            std::this_thread::sleep_for(kLook);
            for (; next != plan_.end() && Clock::now() >= begin + next->at; ++next) {
                injector.inject(*next);
            }
            injector.look_after();
            crew.look_after();
        }
        injector.end_all();
        crew.end_enqueuers();
        injected_ = injector.injected();
        skipped_ = injector.skipped();
        return crew.stop_hosts();
    }

    /// Healthy hosts, at a time at which whatever waits is due.
    std::vector<std::string> drain(Crew& crew) {
        crew.set_clock(kFarthestClock + 10s, std::nullopt);
        crew.start_hosts();
        const auto until = Clock::now() + kDrainLimit;
        std::int64_t open = 1;
        while (open > 0 && Clock::now() < until) {
            std::this_thread::sleep_for(100ms);
            crew.look_after();
            try {
                open = count_open([&](const std::string& query) { return site_->sql(query); });
            } catch (const std::runtime_error&) {  // the hosts recover the store just now
            }
        }
        std::vector<std::string> troubles = crew.stop_hosts();
        if (open > 0) {
            troubles.push_back("healthy hosts left " + std::to_string(open) +
                               " jobs and dead-letter runs open");
        }
        return troubles;
    }

    void say_counts(const Counts& counts) const {
        std::cout << "faults:";
        for (const auto& [kind, times] : injected_) {
            std::cout << ' ' << torture::name_of(kind) << '=' << times;
        }
        std::cout << "\nchecked: jobs=" << counts.jobs << " accepted=" << counts.accepted
                  << " runs=" << counts.runs << " handlers=" << counts.handlers
                  << " keys=" << counts.keys << " orphanings=" << counts.orphanings
                  << " interrupted_by_shutdown=" << counts.shutdowns << " hosts=" << hosts_ << '\n';
        for (const auto& [why, times] : skipped_) {
            std::cout << "skipped " << times << " times: " << why << '\n';
        }
        std::cout << std::flush;
    }

    /// On a machine with too much to do a beat may be late, so this is no failure.
    void say_wrong_deaths(const Ledger& ledger) const {
        std::set<std::int64_t> paused;
        for (const Line& line : ledger) {
            if (line.word == "paused") paused.insert(line.number("host"));
        }
        for (int host = 1; host <= hosts_; ++host) {
            const auto log = site_->folder() / ("host" + std::to_string(host) + ".log");
            const bool was_dead =
                test::read_file(log).find("(this one) was declared dead") != std::string::npos;
            if (!was_dead || paused.contains(host)) continue;
            std::cout << "host " << host << " was declared dead although it was never stopped\n";
        }
    }

    void say_failure(const std::vector<std::string>& troubles,
                     const std::vector<Violation>& violations) const {
        std::cout << "FAILED with seed " << seed_ << '\n';
        for (const std::string& trouble : troubles) std::cout << "  " << trouble << '\n';
        int shown = 0;
        for (const Violation& violation : violations) {
            if (++shown > kViolationsShown) break;
            std::cout << "  broken: " << violation.sentence << ": job " << violation.job << ' '
                      << violation.how << '\n';
        }
        std::cout << "  " << violations.size() << " violations\n"
                  << "again: torture --engine " << torture::name_of(options_.engine)
                  << " --seconds " << options_.length.count() / 1000 << " --seed " << seed_ << '\n';
    }

    /// The small disk and the server go with this process, so what was in them is copied.
    void keep() {
        site_->keep();
        const std::filesystem::path folder = site_->folder();
        if (disk_) {
            std::filesystem::copy(folder / "disk", folder / "store",
                                  std::filesystem::copy_options::recursive);
        }
        if (server_) {
            const std::string command = "pg_dump -h " + server_->folder() + " -U postgres jobs >" +
                                        (folder / "store.sql").string();
            if (std::system(command.c_str()) != 0) std::cout << "cannot dump the store\n";
        }
        std::cout << "kept: " << folder.string() << std::endl;
    }

    const Options options_;
    const std::uint64_t seed_;
    const std::vector<Fault> plan_;
    std::unique_ptr<PostgresServer> server_;
    std::unique_ptr<test::Site> site_;
    std::unique_ptr<Disk> disk_;
    std::map<FaultKind, int> injected_;
    std::map<std::string, int> skipped_;
    int hosts_ = 0;
};

}  // namespace

int run(const Options& options, std::uint64_t seed) {
    return Run(options, seed).verdict();
}

}  // namespace jobhost::torture
