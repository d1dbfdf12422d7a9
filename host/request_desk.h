#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "config/config.h"
#include "host/engine/engine.h"
#include "host/observe/log.h"

namespace jobhost {

/// Where a working host does what its operators ask for: reads its configuration again, explains a
/// policy as it is in force here. On a thread of its own, one thing after the other, so that
/// neither a signal nor the store thread waits for a file.
class RequestDesk {
public:
    /// `running`: the configuration that the host was started with. `config_file`: absolute.
    RequestDesk(config::Config running, std::string config_file, std::string version, Log& log);

    /// What works, and must outlive the time until `close`.
    struct Host {
        const JobTypes& types;
        StoreHandle& store;
        Engine& engine;
    };

    /// Serves from here on, first what was asked before.
    void open(const Host& host);

    /// Waits for the request that is served now, and leaves the others undone.
    void close();

    /// What came through the store; answered there. Quick, from any thread.
    void ask(const NodeRequest& request);

    /// The same as a request to reload, without anybody to answer.
    void reload(const std::string& by);

private:
    void work(const Host& host, const std::stop_token& stop);
    RequestAnswer serve(const Host& host, const NodeRequest& request);
    RequestAnswer read_configuration(const Host& host, const std::string& by);
    RequestAnswer explain(const Host& host, const std::string& argument);
    void answer(const Host& host, const NodeRequest& request, const RequestAnswer& answer);

    const std::string config_file_;
    const std::string version_;
    Log& log_;
    config::Config running_;  // of the thread, as the next two
    EngineSettings settings_;
    std::unique_ptr<Store> session_ = {};
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<NodeRequest> waiting_ = {};  // guarded by mutex_
    std::jthread thread_;                   // last
};

}  // namespace jobhost
