#include "host/http/event_feed.h"

#include <thread>

#include <gtest/gtest.h>

namespace jobhost::http {
namespace {

using namespace std::chrono_literals;

TEST(EventFeed, TellsAllWhoListenAndNobodyWhoLeft) {
    EventFeed feed(3);
    std::string first;
    std::string second;
    const auto number = feed.listen([&](const EventFeed::Text& text) { first += *text; });
    feed.listen([&](const EventFeed::Text& text) { second += *text; });

    feed.publish("a");
    feed.leave(number);
    feed.publish("b");

    EXPECT_EQ(first, "a");
    EXPECT_EQ(second, "ab");
}

TEST(EventFeed, TakesNoMoreThanAllowed) {
    EventFeed feed(1);
    EXPECT_FALSE(feed.is_heard());
    const auto number = feed.listen([](const EventFeed::Text&) {});
    EXPECT_NE(number, 0U);
    EXPECT_TRUE(feed.is_full());
    EXPECT_EQ(feed.listen([](const EventFeed::Text&) {}), 0U);
    feed.leave(number);
    EXPECT_FALSE(feed.is_heard());
}

TEST(EventFeed, ANewListenerEndsTheWait) {
    EventFeed feed(1);
    EXPECT_FALSE(feed.wait_for_news(1ms));
    std::jthread late([&] { feed.listen([](const EventFeed::Text&) {}); });
    EXPECT_TRUE(feed.wait_for_news(1min));
    EXPECT_FALSE(feed.wait_for_news(1ms)) << "it is told once";
}

TEST(EventFeed, ACloseEndsEveryWait) {
    EventFeed feed(1);
    feed.close();
    EXPECT_FALSE(feed.wait_for_news(1min));
    EXPECT_EQ(feed.listen([](const EventFeed::Text&) {}), 0U);
}

TEST(EventFeed, AnEventIsNamedAndEndsWithABlankLine) {
    EXPECT_EQ(event_text("overview", "{}"), "event: overview\ndata: {}\n\n");
}

}  // namespace
}  // namespace jobhost::http
