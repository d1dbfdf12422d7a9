#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"
#include "tests/unit/config/parse.h"

namespace jobhost::config {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string token_file(const TempDir& folder, const std::string& content) {
    const std::string file = (folder.path() / "token").string();
    std::ofstream(file) << content;
    return file;
}

TEST(HttpConfig, WithoutItThereIsNoPort) {
    EXPECT_EQ(accepted("").http.address, "");
}

TEST(HttpConfig, TakesNumericAddressesOfBothKindsAndLocalhost) {
    EXPECT_EQ(accepted("http: { listen: 127.0.0.1:8080 }").http.address, "127.0.0.1");
    EXPECT_EQ(accepted("http: { listen: 127.0.0.1:8080 }").http.port, 8080);
    EXPECT_EQ(accepted("http: { listen: \"[::1]:0\" }").http.address, "::1");
    EXPECT_EQ(accepted("http: { listen: localhost:1 }").http.address, "127.0.0.1");
}

TEST(HttpConfig, WhatIsNoAddressIsRefused) {
    for (const char* wrong :
         {"8080", "\":8080\"", "host:80", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:80x",
          "\"::1:80\"", "\"[127.0.0.1]:80\"", "127.0.0.1", "~"}) {
        EXPECT_THAT(errors_of(std::string("http: { listen: ") + wrong + " }"),
                    HasSubstr("http.listen: must be ADDRESS:PORT with a numeric address"))
            << wrong;
    }
}

TEST(HttpConfig, AnAddressThatOthersReachNeedsATokenOrAProxy) {
    const TempDir folder;
    const std::string token = token_file(folder, "0123456789abcdef\n");

    EXPECT_THAT(errors_of("http: { listen: 0.0.0.0:80 }"),
                HasSubstr("j.yaml:2:17: http.listen: is reachable from other machines: set "
                          "token_file, or behind_tls_proxy: true"));
    EXPECT_EQ(accepted("http: { listen: 0.0.0.0:80, token_file: " + token + " }").http.token,
              "0123456789abcdef");
    EXPECT_TRUE(
        accepted("http: { listen: \"[::]:80\", behind_tls_proxy: true }").http.behind_tls_proxy);
    EXPECT_EQ(errors_of("http: { listen: 127.1.2.3:80 }"), "no error\n");
}

TEST(HttpConfig, ATokenThatProtectsNothingIsRefusedAndNeverShown) {
    const TempDir folder;

    EXPECT_THAT(errors_of("http: { listen: 127.0.0.1:80, token_file: " +
                          token_file(folder, "short-secret") + " }"),
                testing::AllOf(HasSubstr("must have at least 16 characters"),
                               Not(HasSubstr("short-secret"))));
    EXPECT_THAT(errors_of("http: { listen: 127.0.0.1:80, token_file: /nowhere/token }"),
                HasSubstr("the file /nowhere/token cannot be read"));
    EXPECT_THAT(errors_of("http: { token_file: " + token_file(folder, "0123456789abcdef") + " }"),
                HasSubstr("means nothing without listen"));
}

}  // namespace
}  // namespace jobhost::config
