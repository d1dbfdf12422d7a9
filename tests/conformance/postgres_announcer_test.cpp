// News of PostgreSQL stores that come too fast to be announced one by one.
#include <gtest/gtest.h>

#include "storage/postgres/announcer.h"
#include "storage/store.h"
#include "tests/support/postgres_server.h"

namespace jobhost {
namespace {

using namespace std::chrono_literals;

TEST(PostgresAnnouncer, WhatIsAnnouncedLaterIsAnnouncedWhenItHasCommittedAndNotBefore) {
    const FreshSchema schema(PostgresServer::shared());
    const std::string url = PostgresServer::shared().url();
    const SystemClock clock;
    const auto store = open_store({.url = url, .schema = schema.name()}, clock);
    const auto listener = store->open_listener();
    postgres::Announcer announcer({.url = url, .schema = schema.name()});
    // As fast as that, some news are not due.
    while (!announcer.text_if_due().empty()) {
    }

    const bool heard_before = listener->wait(50ms);
    announcer.announce_later();
    const bool heard_after = listener->wait(20s);

    EXPECT_FALSE(heard_before) << "who is woken before the commit looks in vain";
    EXPECT_TRUE(heard_after);
}

}  // namespace
}  // namespace jobhost
