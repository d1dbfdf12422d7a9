#include "storage/sqlite/listener.h"

#include <algorithm>

#include "storage/sqlite/futex.h"

namespace jobhost::sqlite {
namespace {

constexpr Duration kLookAgain = std::chrono::milliseconds(100);

}  // namespace

Listener::Listener(const SessionOptions& options, const Clock& clock) : session_(options, clock) {
    has_changed();
}

bool Listener::has_changed() {
    session_.check_process();
    const std::uint32_t news = session_.gate().page().news.load();
    Query row = session_.query("PRAGMA data_version");
    const std::int64_t version = row.step() ? row.integer(0) : 0;
    const bool changed = news != news_ || version != data_version_;
    news_ = news;
    data_version_ = version;
    return changed;
}

bool Listener::wait(Duration at_most) {
    using std::chrono::steady_clock;
    const auto end = steady_clock::now() + std::min<Duration>(at_most, std::chrono::hours(24));
    GatePage& page = session_.gate().page();
    const HintCount sleeping(page.sleepers);
    for (;;) {
        if (has_changed()) return true;
        const auto left = std::chrono::duration_cast<Duration>(end - steady_clock::now());
        if (left.count() <= 0) return false;
        futex_wait(page.news, news_, std::min(left, kLookAgain));
    }
}

}  // namespace jobhost::sqlite
