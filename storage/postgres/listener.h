#pragma once

#include <optional>

#include "storage/postgres/session.h"
#include "storage/store.h"

namespace jobhost::postgres {

/// Waits for NOTIFY on a connection of its own. A connection that does not answer a question in
/// time is made anew: a server that restarted, ended the connection, or vanished without a word.
/// What may have been missed meanwhile counts as news.
class Listener final : public ChangeListener {
public:
    explicit Listener(const SessionShared& shared);

    bool wait(Duration at_most) override;

private:
    void connect();
    bool heard(Duration at_most);
    void check_peer();

    const SessionShared& shared_;
    std::optional<Connection> server_;
    bool ping_sent_ = false;
    SteadyPoint quiet_since_ = {};
    SteadyPoint ping_at_ = {};
};

/// For sessions behind a pooler, which cannot listen: looks twice a second.
class Poller final : public ChangeListener {
public:
    explicit Poller(const SessionShared& shared) : session_(shared) {}

    bool wait(Duration at_most) override;

private:
    bool has_changed();

    Session session_;
    std::optional<std::int64_t> news_;
};

}  // namespace jobhost::postgres
