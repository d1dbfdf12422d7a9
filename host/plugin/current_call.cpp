#include "host/plugin/current_call.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>
#include <unistd.h>

namespace jobhost {
namespace {

constinit thread_local CurrentCall this_call{};

std::atomic<int> armed_guards{0};
std::atomic<void (*)(std::string_view)> also_told{nullptr};

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
    std::string_view text() const { return {bytes_, used_}; }

private:
    char bytes_[1024];
    std::size_t used_ = 0;
};

/// To standard error, and to whoever else wants to know.
void tell(const Line& sentence) {
    Line line;
    line.add("jobhost: ");
    line.add(sentence.text());
    line.add("\n");
    // Nothing can be done when even this fails.
    [[maybe_unused]] const auto ignored =
        ::write(STDERR_FILENO, line.text().data(), line.text().size());
    if (const auto say = also_told.load()) say(sentence.text());
}

/// "plugin payments 1.4.0 <verb> in run() of job 7 (payments.process)"
void add_call(Line& line, const CurrentCall& call, std::string_view verb) {
    line.add("plugin ");
    line.add(call.plugin);
    line.add(verb);
    line.add(" in ");
    line.add(call.function);
    line.add("()");
    if (call.job == 0) return;
    line.add(" of job ");
    line.add(call.job);
    line.add(" (");
    line.add(call.type);
    line.add(")");
}

void on_exit_call() {
    if (armed_guards.load() == 0) return;
    const CurrentCall& call = current_call();
    Line line;
    if (call.plugin == nullptr) {
        line.add("exit() was called by a thread that no call of a plugin owns");
    } else {
        add_call(line, call, " called exit()");
    }
    line.add("; the node ends at once, with status 70");
    tell(line);
    ::_exit(kExitByPlugin);
}

struct FatalSignal {
    int number;
    std::string_view name;
};
constexpr std::array<FatalSignal, 5> kFatalSignals = {{{SIGSEGV, "SIGSEGV"},
                                                       {SIGBUS, "SIGBUS"},
                                                       {SIGABRT, "SIGABRT"},
                                                       {SIGFPE, "SIGFPE"},
                                                       {SIGILL, "SIGILL"}}};

/// Only what may be done in a signal handler. The signal's own action is back by now.
void on_fatal_signal(int number) {
    const CurrentCall& call = current_call();
    Line line;
    if (call.plugin == nullptr) {
        line.add("a thread that no call of a plugin owns crashed");
    } else {
        add_call(line, call, " crashed");
    }
    for (const FatalSignal& fatal : kFatalSignals) {
        if (fatal.number != number) continue;
        line.add(" with ");
        line.add(fatal.name);
    }
    line.add("; the node ends");
    tell(line);
    ::raise(number);
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

void also_tell(void (*say)(std::string_view sentence)) {
    also_told.store(say);
}

void note_fatal_signals() {
    for (const FatalSignal& fatal : kFatalSignals) {
        struct sigaction now = {};
        ::sigaction(fatal.number, nullptr, &now);
        if (now.sa_handler != SIG_DFL) continue;  // a sanitizer, or a plugin's own crash handler
        struct sigaction note = {};
        note.sa_handler = on_fatal_signal;
        note.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
        ::sigaction(fatal.number, &note, nullptr);
    }
}

}  // namespace jobhost
