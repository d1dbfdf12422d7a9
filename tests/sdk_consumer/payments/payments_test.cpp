#include <cstdio>
#include <stdexcept>

#include <jobhost/testing.hpp>

int failures = 0;

void check(bool right, const char* what) {
    std::printf("%s: %s\n", right ? "ok" : "FAILED", what);
    if (!right) ++failures;
}

int main() {
    const jobhost::testing::PluginUnderTest plugin(jobhost_plugin_v1);

    const auto paid = plugin.run("payments.process", {.input = R"({"id": "o-1", "amount": 5})"});
    check(paid.succeeded() && paid.logged("paid o-1"), "an order is paid");

    const auto free = plugin.run("payments.process", {.input = R"({"id": "o-2", "amount": 0})"});
    check(free.error && free.error->is<std::invalid_argument>(), "a free order is refused");

    const auto letter = plugin.run_dead_letter("payments.process", std::runtime_error("no bank"),
                                               {.input = R"({"id": "o-3", "amount": 5})"});
    check(letter.logged("giving up on o-3: no bank"), "a failed payment is logged");
    return failures == 0 ? 0 : 1;
}
