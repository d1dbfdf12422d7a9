#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "host/engine/engine.h"
#include "tests/support/recording_events.h"
#include "tests/support/scripted_types.h"
#include "tests/support/temp_dir.h"

namespace jobhost {

/// An empty SQLite store in a folder of its own, and a session for the test's own questions.
class StoreOfTest {
public:
    explicit StoreOfTest(const Clock& clock, Duration lock_timeout = std::chrono::seconds(15))
        : handle_(open_store({.url = "sqlite://" + path(), .lock_timeout = lock_timeout}, clock)),
          session_(handle_->open_session()) {}

    std::string path() const { return (folder_.path() / "jobs.db").string(); }
    StoreHandle& handle() { return *handle_; }
    Store& session() { return *session_; }

    JobId enqueue(NewJob job) {
        const EnqueueResult result = session_->enqueue(std::vector<NewJob>{std::move(job)});
        if (const auto* refusal = std::get_if<EnqueueRefusal>(&result)) {
            ADD_FAILURE() << refusal->reason;
            return 0;
        }
        return std::get<std::vector<Enqueued>>(result).front().id;
    }

    Job job(JobId id) {
        const auto found = session_->find_job(id);
        if (!found) ADD_FAILURE() << "there is no job " << id;
        return found.value_or(Job{});
    }

    /// The job's dead-letter runs, oldest first, as `name state`.
    std::vector<std::string> dead_letters(JobId id) {
        std::vector<std::string> all;
        for (const DeadLetter& run : session_->dead_letters(id, std::nullopt, 100, 0)) {
            all.insert(all.begin(), run.name + " " + std::string(to_string(run.state)));
        }
        return all;
    }

    Node node(NodeId id) {
        for (const Node& node : session_->nodes()) {
            if (node.id == id) return node;
        }
        ADD_FAILURE() << "there is no node " << id;
        return {};
    }

private:
    const TempDir folder_;
    const std::unique_ptr<StoreHandle> handle_;
    const std::unique_ptr<Store> session_;
};

}  // namespace jobhost
