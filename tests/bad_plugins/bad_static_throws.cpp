// A static initialiser throws, which nobody can catch.
#include <stdexcept>

#include <jobhost/sdk.hpp>

namespace {

int fail() {
    throw std::runtime_error("thrown by a static initialiser");
}
const int value = fail();

}  // namespace

JOBHOST_PLUGIN("static_throws", "1.0.0", plugin) {
    plugin.error<std::runtime_error>();
    static_cast<void>(value);
}
