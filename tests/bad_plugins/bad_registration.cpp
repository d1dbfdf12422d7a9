// Registers one name twice, so the SDK refuses to describe it and says why.
#include <jobhost/sdk.hpp>

namespace {

class Noop : public jobhost::Job<> {
public:
    void execute(jobhost::JobContext&) override {}
};

}  // namespace

JOBHOST_PLUGIN("registration", "1.0.0", plugin) {
    plugin.job<Noop>("registration.noop");
    plugin.job<Noop>("registration.noop");
}
