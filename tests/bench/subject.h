#pragma once

#include <string>
#include <vector>

#include "host/bench/benchmark.h"
#include "storage/measure/scratch_store.h"

namespace jobhost::bench {

/// One kind of store, and what was found out about it. Figures are shown as they come.
class Subject {
public:
    /// `beside`: where scratch stores are made. `scale`: a factor for numbers of jobs and rows.
    Subject(std::string engine, StoreOptions beside, double scale);

    const std::string& engine() const { return engine_; }
    bool is_postgres() const { return engine_ != "sqlite"; }
    const StoreOptions& beside() const { return beside_; }

    /// So many jobs, rows or samples, at this run's scale; at least 1.
    int scaled(int count) const;

    /// Figures that follow belong to this benchmark.
    void begin(const std::string& benchmark);
    void add(Row row);

    struct Result {
        std::string benchmark = {};
        Row row = {};
    };
    const std::vector<Result>& results() const { return results_; }

private:
    const std::string engine_;
    const StoreOptions beside_;
    const double scale_;
    std::string benchmark_;
    std::vector<Result> results_;
};

/// A store that was made in a place of its own and is gone with it.
class FreshStore {
public:
    explicit FreshStore(const Subject& subject)
        : place_(subject.beside()), store_(open_store(place_.options(), clock_)) {}

    const StoreOptions& options() const { return place_.options(); }
    StoreHandle& operator*() const { return *store_; }
    StoreHandle* operator->() const { return store_.get(); }

private:
    const SystemClock clock_;
    ScratchStore place_;
    std::unique_ptr<StoreHandle> store_;
};

/// Nobody interrupts these: the process is killed instead.
inline bool never() {
    return false;
}

}  // namespace jobhost::bench
