// No type has a retry policy of its own besides do_not_retry, so that YAML tunes them all.

#include <jobhost/sdk.hpp>

#include "plugins/reliability/checkpoint.h"
#include "plugins/reliability/crash.h"
#include "plugins/reliability/dead_letter.h"
#include "plugins/reliability/flaky.h"
#include "plugins/reliability/invalid.h"
#include "plugins/reliability/sleep.h"

namespace {

/// `demo.noop`: does nothing, for throughput.
class Noop : public jobhost::Job<> {
public:
    void execute(jobhost::JobContext&) override {}
};

}  // namespace

JOBHOST_PLUGIN("reliability", "1.0.0", plugin) {
    using namespace reliability;
    plugin.job<Flaky>("demo.flaky");
    plugin.job<Checkpoint>("demo.checkpoint");
    plugin.job<AlwaysFails>("demo.deadletter").dead_letter<AppendsLine>();
    plugin.job<Invalid>("demo.invalid").do_not_retry<std::invalid_argument>();
    plugin.job<Sleep>("demo.sleep");
    plugin.job<Stubborn>("demo.stubborn");
    plugin.job<Crash>("demo.crash");
    plugin.job<Noop>("demo.noop");
}
