#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "storage/store.h"
#include "tests/conformance/store_worker.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace jobhost::testing_support {

/// An empty store of an engine: how to open it, and what removes it at the end.
struct FreshStore {
    StoreOptions options = {};
    std::shared_ptr<void> remover = {};
};

/// A storage engine under test: how to get an empty store of it.
struct Engine {
    std::string name = {};
    std::function<FreshStore(const TempDir&)> fresh = {};
};
inline void PrintTo(const Engine& engine, std::ostream* out) {
    *out << engine.name;
}

/// All engines: the one place that a new one is added to.
std::vector<Engine> engines();

/// For INSTANTIATE_TEST_SUITE_P of a fixture derived from StorageTest.
std::string engine_name(const ::testing::TestParamInfo<Engine>& engine);

/// What every engine must do. Tests say it only with what storage.h, job_queries.h and
/// job_control.h promise. The tests of this fixture are instantiated in storage_fixture.cpp.
class StorageTest : public ::testing::TestWithParam<Engine> {
protected:
    StorageTest() { store_ = handle_->open_session(); }

    StoreOptions options() const {
        StoreOptions options = fresh_.options;
        options.synchronous_full = false;  // nobody cuts the power here
        options.lock_timeout = std::chrono::seconds(10);
        options.clock_is_time = true;
        return options;
    }

    /// One more session with the same store.
    std::unique_ptr<Store> session() { return handle_->open_session(); }

    JobId enqueue(NewJob job) { return enqueue_one(*store_, std::move(job)); }

    Job find(JobId id) {
        std::optional<Job> job = store_->find_job(id);
        EXPECT_TRUE(job.has_value()) << "job " << id << " is gone";
        return job.value_or(Job{});
    }

    TypeCounts counts(const std::string& type) {
        for (TypeCounts& counts : store_->type_counts()) {
            if (counts.type == type) return std::move(counts);
        }
        return {};
    }

    FakeClock clock_;
    TempDir folder_;
    FreshStore fresh_ = GetParam().fresh(folder_);
    std::unique_ptr<StoreHandle> handle_ = open_store(options(), clock_);
    std::unique_ptr<Store> store_;
};

}  // namespace jobhost::testing_support
