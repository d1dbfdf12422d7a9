#include "host/http/overview_feed.h"

#include <pthread.h>
#include <utility>

#include "storage/storage_error.h"

namespace jobhost::http {
namespace {

constexpr std::size_t kMostListeners = 200;
constexpr std::chrono::milliseconds kPeriod{2000};
constexpr std::chrono::milliseconds kFresh{1000};

}  // namespace

OverviewFeed::OverviewFeed(StoreSessions& sessions, const Counters& counters, std::string service,
                           std::string node)
    : sessions_(sessions),
      service_(std::move(service)),
      node_(std::move(node)),
      events_(std::make_shared<EventFeed>(kMostListeners)),
      latency_(counters.waits(), counters.runs()),
      thread_([this](const std::stop_token& stop) {
          ::pthread_setname_np(::pthread_self(), "overview");
          while (!stop.stop_requested()) work();
      }) {}

OverviewFeed::~OverviewFeed() {
    thread_.request_stop();
    events_->close();
}

void OverviewFeed::work() {
    latency_.look(SystemClock().now());
    if (events_->is_heard()) events_->publish(event_text("overview", document()));
    events_->wait_for_news(kPeriod);
}

std::string OverviewFeed::document() {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (!document_.empty() && now - made_at_ < kFresh) return document_;
    api::OverviewNode node{
        .service = service_, .node = node_, .latency = latency_.minutes(), .store_error = {}};
    try {
        facts_ = sessions_.with([](Store& store) { return api::overview_facts(store); });
    } catch (const StorageError& error) {
        node.store_error = error.what();
    }
    document_ = api::overview_json(facts_, node);
    made_at_ = std::chrono::steady_clock::now();
    return document_;
}

}  // namespace jobhost::http
