#include "config/suggestion.h"

#include <gtest/gtest.h>

namespace jobhost::config {
namespace {

TEST(EditDistance, CountsChangesAdditionsOmissionsAndSwaps) {
    EXPECT_EQ(edit_distance("", ""), 0u);
    EXPECT_EQ(edit_distance("abc", "abc"), 0u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("timout", "timeout"), 1u);
    EXPECT_EQ(edit_distance("tiemout", "timeout"), 1u);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, IsTheOneThatWasMeant) {
    const std::set<std::string> known{"on",    "max_attempts", "max_delay", "timeout",
                                      "retry", "name",         "node"};

    EXPECT_EQ(nearest("max_atempts", known), "max_attempts");
    EXPECT_EQ(nearest("timout", known), "timeout");
    EXPECT_EQ(nearest("retries", known), std::nullopt);
    EXPECT_EQ(nearest("nme", known), "name");
    EXPECT_EQ(nearest("nade", known), "name") << "the first of two that are equally near";
}

TEST(Nearest, IsNothingWhereNothingIsNear) {
    EXPECT_EQ(nearest("http", {"on", "log", "queues"}), std::nullopt);
    EXPECT_EQ(nearest("", {"queues"}), std::nullopt);
    EXPECT_EQ(nearest(std::string(100'000, 'q'), {"queues"}), std::nullopt);
    EXPECT_EQ(nearest("queue", {}), std::nullopt);
}

}  // namespace
}  // namespace jobhost::config
