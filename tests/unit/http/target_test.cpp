#include "host/http/target.h"

#include <gtest/gtest.h>

namespace jobhost::http {
namespace {

TEST(Target, PathAndQueryAreDecoded) {
    Request request;

    ASSERT_TRUE(read_target("/jobs/a%2Fb?type=mail.send&tag=a%20b&tag=c+d&empty", request));

    EXPECT_EQ(request.path, "/jobs/a/b");
    EXPECT_EQ(request.query.find("type")->second, "mail.send");
    const auto tags = request.query.equal_range("tag");
    EXPECT_EQ(std::distance(tags.first, tags.second), 2);
    EXPECT_EQ(tags.first->second, "a b");
    EXPECT_EQ(std::next(tags.first)->second, "c d");
    EXPECT_EQ(request.query.find("empty")->second, "");
}

TEST(Target, WhatIsBrokenIsRefused) {
    for (const char* target : {"", "jobs", "*", "http://host/jobs", "/%", "/%4", "/%zz", "/%00",
                               "/?a=%", "/?%4=a", "/%+1"}) {
        Request request;
        EXPECT_FALSE(read_target(target, request)) << target;
    }
}

TEST(Target, AQueryMayBeEmptyAnywhere) {
    for (const char* target : {"/?", "/?&", "/?&&"}) {
        Request request;
        EXPECT_TRUE(read_target(target, request)) << target;
        EXPECT_TRUE(request.query.empty()) << target;
    }
}

}  // namespace
}  // namespace jobhost::http
