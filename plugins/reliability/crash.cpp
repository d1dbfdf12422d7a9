#include "plugins/reliability/crash.h"

#include <csignal>
#include <cstdlib>

namespace reliability {

void Crash::execute(const CrashInput& input, jobhost::JobContext&) {
    if (input.how == "abort") std::abort();
    // The signal itself: reading a bad address would be caught by sanitizers first.
    if (input.how == "segv") std::raise(SIGSEGV);
    if (input.how == "exit") std::exit(3);
    throw jobhost::PayloadError("how must be abort, segv or exit", "/how");
}

}  // namespace reliability
