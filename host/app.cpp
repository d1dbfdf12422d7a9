#include "host/app.h"

#include <cstring>
#include <iterator>
#include <mutex>
#include <signal.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "host/http/api.h"
#include "host/http/page_routes.h"
#include "host/http/probe_routes.h"
#include "host/http/server.h"
#include "host/observe/counted.h"
#include "host/observe/counters.h"
#include "host/observe/fan_out.h"
#include "host/observe/last_words.h"
#include "host/observe/log.h"
#include "host/observe/log_events.h"
#include "host/observe/printable.h"
#include "host/plugin/current_call.h"
#include "host/plugin/plugin_set.h"
#include "host/plugin_door.h"
#include "host/policy_check.h"
#include "host/request_desk.h"
#include "host/settings_from_config.h"
#include "host/signals.h"
#include "host/stop_request.h"
#include "storage/storage_error.h"

namespace jobhost {
namespace {

constexpr int kFailed = 1;
constexpr int kConfiguration = 2;

/// How long a start may go on after a signal, for its next step to notice, before the process ends
/// where it is: nothing was claimed yet, and the store survives that.
constexpr Duration kStartPatience = std::chrono::seconds(2);

std::string signal_name(int signal) {
    const char* name = ::sigabbrev_np(signal);
    return name == nullptr ? "signal " + std::to_string(signal) : "SIG" + std::string(name);
}

void say_on_standard_error(const std::string& sentence) {
    const std::string line = "jobhost: " + printable(sentence) + '\n';
    static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
}

}  // namespace

class App::Impl {
public:
    explicit Impl(AppOptions options);
    AppEnd run();

private:
    /// Each step answers the exit status when the host must not go on.
    using Step = std::optional<int>;
    Step load();
    Step check();
    Step open();
    Step start();
    Step serve();

    AppEnd work();
    AppEnd stop();

    void on_signal(int signal);
    void fail(const std::string& sentence);
    std::string ready_sentence() const;
    EngineHooks hooks();

    const AppOptions options_;
    const EngineSettings settings_;
    SystemClock clock_;
    StopRequest stop_;
    std::mutex hurry_mutex_;
    Engine* working_ = nullptr;  // guarded by hurry_mutex_: what a second signal hurries

    // In the order of dependence: destroyed in reverse.
    Log log_;
    LogEvents log_events_;
    Counters counters_;
    FanOut events_;
    RequestDesk desk_;
    Signals signals_;
    std::unique_ptr<StoreHandle> store_;
    PluginDoor door_;
    std::optional<LoadedPlugins> plugins_;
    std::optional<ExitGuard> exit_guard_;
    std::optional<Engine> engine_;
    std::optional<http::StoreSessions> sessions_;
    std::optional<http::OverviewFeed> overview_;
    std::optional<http::Router> router_;
    std::optional<http::Server> server_;
};

App::Impl::Impl(AppOptions options)
    : options_(std::move(options)),
      settings_(engine_settings(options_.config, options_.version)),
      log_(log_options(options_.config)),
      log_events_(log_),
      events_({&log_events_, &counters_}),
      desk_(options_.config, options_.config_file, options_.version, log_),
      signals_({.stop = [this](int signal) { on_signal(signal); },
                .reload =
                    [this] {
                        log_.reopen();
                        desk_.reload("SIGHUP");
                    }}),
      door_(log_) {}

void App::Impl::on_signal(int signal) {
    if (!stop_.request(signal_name(signal), 0)) {
        log_.write(LogLevel::kInfo, signal_name(signal) + " again: not waiting for running jobs");
        const std::lock_guard lock(hurry_mutex_);
        if (working_ != nullptr) working_->hurry();
        return;
    }
    log_.write(LogLevel::kInfo, "stopping: " + signal_name(signal));
    if (!stop_.wait_for_start(kStartPatience)) {
        log_.write(LogLevel::kInfo, "stopped in the middle of the start");
        ::_exit(0);
    }
}

void App::Impl::fail(const std::string& sentence) {
    log_.write(LogLevel::kError, sentence);
    if (options_.config.log.file) say_on_standard_error(sentence);
}

App::Impl::Step App::Impl::load() {
    PluginOptions plugins = plugin_options(options_.config, options_.version);
    plugins.services = door_.services();
    auto loaded = load_plugins(plugins);
    if (!loaded) {
        for (const std::string& error : loaded.error()) fail(error);
        return kConfiguration;
    }
    plugins_.emplace(*std::move(loaded));
    // After the plugins, whose own exit handlers must not run first.
    exit_guard_.emplace();
    also_tell(write_last_words);
    note_fatal_signals();
    for (const std::string& warning : plugins_->warnings()) {
        log_.write(LogLevel::kWarning, warning);
    }
    return std::nullopt;
}

App::Impl::Step App::Impl::check() {
    const PolicyFindings findings = check_policies(settings_, plugins_->types());
    for (const std::string& warning : findings.warnings) log_.write(LogLevel::kWarning, warning);
    for (const std::string& error : findings.errors) fail(error);
    if (!findings.errors.empty()) return kConfiguration;
    if (plugins_->types().types.empty()) {
        log_.write(LogLevel::kWarning, "no plugin has a job type: this node will run no job");
    }
    return std::nullopt;
}

App::Impl::Step App::Impl::open() {
    store_ = open_store(store_options(options_.config), clock_);
    log_.write(LogLevel::kInfo, store_->description());
    return std::nullopt;
}

App::Impl::Step App::Impl::start() {
    door_.set_store(store_.get());
    if (const auto error = plugins_->start()) {
        fail(*error);
        return kConfiguration;
    }
    engine_.emplace(settings_, *store_, plugins_->types(), clock_, events_, hooks());
    door_.set_engine(&*engine_);
    desk_.open({plugins_->types(), *store_, *engine_});
    const std::lock_guard lock(hurry_mutex_);
    working_ = &*engine_;
    return std::nullopt;
}

App::Impl::Step App::Impl::serve() {
    const config::HttpConfig& http = options_.config.http;
    if (http.address.empty() || !engine_) return std::nullopt;
    sessions_.emplace(*store_);
    overview_.emplace(*sessions_, counters_, options_.config.service, settings_.node_name);
    router_.emplace(http::Guard({.token = http.token, .behind_proxy = http.behind_tls_proxy}));
    router_->failed = [this](const std::string& sentence) {
        log_.write(LogLevel::kError, "http: " + sentence);
    };
    http::add_probe_routes(*router_,
                           {*engine_, counters_, *sessions_, [this] { return stop_.requested(); }});
    http::add_api(*router_, {*sessions_, options_.config, settings_.node_name, options_.version});
    http::add_overview_routes(*router_, *overview_);
    http::add_page_routes(*router_);
    try {
        server_.emplace(http.address, http.port, *router_);
    } catch (const std::runtime_error& error) {
        fail(std::string("http.listen: ") + error.what());
        return kFailed;
    }
    log_.write(LogLevel::kInfo,
               "http: listening on " + http.address + ", port " + std::to_string(server_->port()));
    return std::nullopt;
}

EngineHooks App::Impl::hooks() {
    return {.fatal =
                [this](const std::string& what) {
                    fail("the store cannot be used any more: " + what);
                    stop_.request("the store cannot be used any more", kFailed);
                },
            .asked = [this](const NodeRequest& request) { desk_.ask(request); }};
}

std::string App::Impl::ready_sentence() const {
    const JobTypes& types = plugins_->types();
    std::string text = "ready: node " + settings_.node_name + " of service " + settings_.service +
                       " runs " + counted(std::ssize(types.types), "type") + " of " +
                       counted(std::ssize(types.plugins), "plugin") + "; queues";
    const char* separator = " ";
    for (const QueueSettings& queue : settings_.queues) {
        text += separator + queue.name + " (" + std::to_string(queue.workers) + ')';
        separator = ", ";
    }
    return text;
}

AppEnd App::Impl::run() {
    log_.write(LogLevel::kInfo, "jobhost " + options_.version + " starts: pid " +
                                    std::to_string(::getpid()) + ", configuration " +
                                    options_.config_file);
    try {
        for (Step (Impl::*step)() : {&Impl::load, &Impl::check, &Impl::open, &Impl::start}) {
            if (stop_.requested()) break;
            if (const Step status = (this->*step)()) {
                stop_.start_is_over();
                return {.status = *status};
            }
        }
    } catch (const StorageError& error) {
        stop_.start_is_over();
        fail(error.what());
        return {.status = kFailed};
    }
    stop_.start_is_over();
    if (const Step status = serve()) {
        AppEnd end = stop();
        end.status = *status;
        return end;
    }
    return work();
}

AppEnd App::Impl::work() {
    if (!engine_) {
        log_.write(LogLevel::kInfo, "stopped before the start was over");
        return {.status = options_.until_empty ? kFailed : 0};
    }
    log_.write(LogLevel::kInfo, ready_sentence());
    if (!options_.until_empty) {
        stop_.wait();
        return stop();
    }

    std::optional<Leftover> leftover;
    if (engine_->wait_until_empty([this] { return stop_.requested(); })) {
        leftover = engine_->leftover();
        stop_.request("nothing is left to do now", 0);
        log_.write(LogLevel::kInfo, "stopping: nothing is left to do now");
    }
    AppEnd end = stop();
    end.leftover = leftover;
    if (!leftover && end.status == 0) end.status = kFailed;
    return end;
}

AppEnd App::Impl::stop() {
    desk_.close();
    const StopResult result = engine_->stop();
    server_.reset();  // until here it says that this node lives and stops
    overview_.reset();
    sessions_.reset();
    {
        const std::lock_guard lock(hurry_mutex_);
        working_ = nullptr;
    }
    if (result == StopResult::kCodeStillRuns) {
        log_.write(LogLevel::kWarning,
                   "stopped; some jobs did not return and end with the process");
        return {.status = stop_.status(), .must_exit_at_once = true};
    }
    if (result == StopResult::kNotStored) {
        log_.write(LogLevel::kError, "stopped without the store");
        return {.status = kFailed, .must_exit_at_once = true};
    }
    // The engine answers plugins until their stop functions have returned.
    plugins_->stop();
    door_.set_engine(nullptr);
    door_.set_store(nullptr);
    engine_.reset();
    exit_guard_.reset();
    log_.write(LogLevel::kInfo, "stopped");
    return {.status = stop_.status()};
}

App::App(AppOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
App::~App() = default;

AppEnd App::run() {
    return impl_->run();
}

}  // namespace jobhost
