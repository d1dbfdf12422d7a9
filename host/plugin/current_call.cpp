#include "host/plugin/current_call.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>
#include <unistd.h>

namespace jobhost {
namespace {

constinit thread_local CurrentCall this_call{};

std::atomic<int> armed_guards{0};

/// A line of bounded length. No allocation: exit() may have been called with the heap in any state.
class Line {
public:
    void add(std::string_view text) {
        const std::size_t fits = std::min(text.size(), sizeof bytes_ - used_);
        std::memcpy(bytes_ + used_, text.data(), fits);
        used_ += fits;
    }
    void add(const char* text) { add(std::string_view(text == nullptr ? "?" : text)); }
    void add(JobId number) {
        char digits[24];
        const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
        add(std::string_view(digits, static_cast<std::size_t>(end - digits)));
    }
    void write_to_standard_error() const {
        // Nothing can be done when even this fails.
        [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, bytes_, used_);
    }

private:
    char bytes_[1024];
    std::size_t used_ = 0;
};

void on_exit_call() {
    if (armed_guards.load() == 0) return;
    const CurrentCall& call = current_call();
    Line line;
    if (call.plugin == nullptr) {
        line.add("jobhost: exit() was called by a thread that no call of a plugin owns");
    } else {
        line.add("jobhost: plugin ");
        line.add(call.plugin);
        line.add(" called exit() in ");
        line.add(call.function);
        line.add("()");
        if (call.job != 0) {
            line.add(" of job ");
            line.add(call.job);
            line.add(" (");
            line.add(call.type);
            line.add(")");
        }
    }
    line.add("; the node ends at once, with status 70\n");
    line.write_to_standard_error();
    ::_exit(kExitByPlugin);
}

}  // namespace

const CurrentCall& current_call() {
    return this_call;
}

CallScope::CallScope(const CurrentCall& call) : outer_(this_call) {
    this_call = call;
}
CallScope::~CallScope() {
    this_call = outer_;
}

ExitGuard::ExitGuard() {
    // Handlers run newest first, so each guard registers again: it must come before the exit
    // handlers and static destructors of every library that was loaded by now.
    std::atexit(on_exit_call);
    std::at_quick_exit(on_exit_call);
    armed_guards.fetch_add(1);
}
ExitGuard::~ExitGuard() {
    armed_guards.fetch_sub(1);
}

}  // namespace jobhost
