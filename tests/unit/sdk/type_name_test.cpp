#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <jobhost/detail/type_name.hpp>
#include <jobhost/errors.hpp>

namespace acme {
struct PaymentError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct Tagged {
    virtual ~Tagged() = default;
};
class Secret {};
struct CardDeclined : PaymentError, virtual Tagged, private Secret {
    using PaymentError::PaymentError;
};
struct Left : virtual std::runtime_error {
    Left() : std::runtime_error("") {}
};
struct Right : virtual std::runtime_error {
    Right() : std::runtime_error("") {}
};
struct Diamond : Left, Right {
    Diamond() : std::runtime_error("") {}
};
}  // namespace acme

namespace {

namespace hidden {
struct Error : std::exception {};
}  // namespace hidden

using jobhost::detail::base_names;
using jobhost::detail::normalised_type_name;
using jobhost::detail::type_name;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NormalisedTypeName, DropsInlineNamespaces) {
    EXPECT_EQ(normalised_type_name("std::__1::system_error"), "std::system_error");
    EXPECT_EQ(normalised_type_name("std::__cxx11::regex_error"), "std::regex_error");
    EXPECT_EQ(normalised_type_name("jobhost::v1::RetryAfter"), "jobhost::RetryAfter");
}

TEST(NormalisedTypeName, DropsAbiTags) {
    EXPECT_EQ(normalised_type_name("std::ios_base::failure[abi:cxx11]"), "std::ios_base::failure");
    EXPECT_EQ(normalised_type_name("a[abi:v1]::b[abi:v2]"), "a::b");
}

TEST(NormalisedTypeName, DropsAnonymousNamespacesWhereverTheyStand) {
    EXPECT_EQ(normalised_type_name("(anonymous namespace)::Error"), "Error");
    EXPECT_EQ(normalised_type_name("acme::(anonymous namespace)::Error"), "acme::Error");
    EXPECT_EQ(normalised_type_name("Of<(anonymous namespace)::Inner>"), "Of<Inner>");
}

TEST(NormalisedTypeName, LeavesOtherTextAlone) {
    EXPECT_EQ(normalised_type_name(""), "");
    EXPECT_EQ(normalised_type_name("acme::Error<int [3]>"), "acme::Error<int [3]>");
    EXPECT_EQ(normalised_type_name("broken[abi:"), "broken[abi:");
}

TEST(TypeName, IsDemangledAndNormalised) {
    EXPECT_EQ(type_name<acme::CardDeclined>(), "acme::CardDeclined");
    EXPECT_EQ(type_name<hidden::Error>(), "hidden::Error");
    EXPECT_EQ(type_name<jobhost::PayloadError>(), "jobhost::PayloadError");
    EXPECT_EQ(type_name<int>(), "int");
}

TEST(BaseNames, ListsPublicBasesNearestFirstAndNoPrivateOnes) {
    EXPECT_THAT(
        base_names(typeid(acme::CardDeclined)),
        ElementsAre("acme::PaymentError", "acme::Tagged", "std::runtime_error", "std::exception"));
}

TEST(BaseNames, ListsAVirtualBaseOnce) {
    EXPECT_THAT(base_names(typeid(acme::Diamond)),
                ElementsAre("acme::Left", "acme::Right", "std::runtime_error", "std::exception"));
}

TEST(BaseNames, AreNoneForTypesWithoutBases) {
    EXPECT_THAT(base_names(typeid(std::exception)), IsEmpty());
    EXPECT_THAT(base_names(typeid(int)), IsEmpty());
}

TEST(HostErrors, DeriveFromStdExceptionDirectly) {
    EXPECT_THAT(base_names(typeid(jobhost::TimeoutError)), ElementsAre("std::exception"));
    EXPECT_THAT(base_names(typeid(jobhost::CrashedError)), ElementsAre("std::exception"));
    EXPECT_THAT(base_names(typeid(jobhost::OrphanedJobError)), ElementsAre("std::exception"));
    EXPECT_THAT(base_names(typeid(jobhost::PayloadError)), ElementsAre("std::exception"));
}

}  // namespace
