// Its start hook throws.
#include <stdexcept>

#include <jobhost/sdk.hpp>

namespace {

class Noop : public jobhost::Job<> {
public:
    void execute(jobhost::JobContext&) override {}
};

}  // namespace

JOBHOST_PLUGIN("start_throws", "1.0.0", plugin) {
    plugin.job<Noop>("start_throws.noop");
    plugin.on_start(
        [](jobhost::Host&) { throw std::runtime_error("the start hook refuses to start"); });
}
