#include "host/plugin/symboliser.h"

#include <algorithm>
#include <backtrace.h>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace jobhost {
namespace {

constexpr std::size_t kMostFrames = 64;
constexpr std::size_t kMostRemembered = 4096;

std::string demangled(const char* name) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
    return text != nullptr ? text.get() : name;
}

/// Demangled, and cut when it is one of those names that templates and lambdas have.
std::string readable_name(const char* name) {
    constexpr std::size_t kLongest = 300;
    std::string text = demangled(name);
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
    return text;
}

// libbacktrace calls these while it looks something up; an exception must not pass through it.
void ignore_error(void* /*to*/, const char* /*message*/, int /*number*/) {}

struct Found {
    std::string lines = {};  // one for each inlined frame and one for the function itself
    bool failed = false;
};

int add_line(void* to, std::uintptr_t /*address*/, const char* file, int line,
             const char* function) {
    auto& found = *static_cast<Found*>(to);
    try {
        if (file == nullptr && function == nullptr) return 0;
        if (!found.lines.empty()) found.lines += '\n';
        found.lines += function != nullptr ? readable_name(function) : "??";
        if (file != nullptr) {
            found.lines += " at ";
            found.lines += file;
            found.lines += ':';
            found.lines += std::to_string(line);
        }
    } catch (const std::exception&) {
        found.failed = true;
    }
    return 0;
}

struct Module {
    const void* base = nullptr;
    std::string line = {};  // `function in libx.so+0x12`
};

Module module_of(std::uintptr_t address) {
    Dl_info about = {};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address from the stack is what we have
    if (::dladdr(reinterpret_cast<const void*>(address), &about) == 0) return {};
    char offset[32];
    std::snprintf(offset, sizeof offset, "+0x%llx",
                  static_cast<unsigned long long>(
                      address - reinterpret_cast<std::uintptr_t>(about.dli_fbase)));
    std::string line;
    if (about.dli_sname != nullptr) line = readable_name(about.dli_sname) + " in ";
    line += std::filesystem::path(about.dli_fname).filename().string() + offset;
    return {about.dli_fbase, std::move(line)};
}

const void* host_base() {
    static const void* const base =
        module_of(reinterpret_cast<std::uintptr_t>(&stack_trace_text)).base;
    return base;
}

/// What is known about one address.
struct Frame {
    bool in_host = false;
    std::string lines = {};
};

class Symboliser {
public:
    Frame look_up(std::uintptr_t address) {
        const std::lock_guard lock(mutex_);
        if (const auto known = frames_.find(address); known != frames_.end()) return known->second;
        if (state_ == nullptr) state_ = backtrace_create_state(nullptr, 1, ignore_error, nullptr);

        const Module module = module_of(address);
        Frame frame{.in_host = module.base != nullptr && module.base == host_base(), .lines = {}};
        if (!frame.in_host) {
            Found found;
            if (state_ != nullptr) {
                backtrace_pcinfo(state_, address, add_line, ignore_error, &found);
            }
            frame.lines = found.lines.empty() || found.failed ? module.line : found.lines;
            if (frame.lines.empty()) frame.lines = "??";
        }
        // Forgetting all at once is crude but bounds the memory, and a host that sees more
        // different addresses than this in its errors has other worries.
        if (frames_.size() >= kMostRemembered) frames_.clear();
        frames_.emplace(address, frame);
        return frame;
    }

    void forget() {
        const std::lock_guard lock(mutex_);
        state_ = nullptr;
        frames_.clear();
    }

private:
    std::mutex mutex_;
    // Guarded by mutex_. A state knows the libraries of the moment when it was made.
    backtrace_state* state_ = nullptr;
    std::unordered_map<std::uintptr_t, Frame> frames_;
};

void add_lines(const std::string& text, std::vector<std::string>& lines) {
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
}

/// What lies outside of the author's code is the same in every trace: the SDK's headers, and what
/// of the standard library they use. A payload that cannot be read meets no code of the author.
void drop_border(std::vector<std::string>& lines) {
    const auto is_border = [](const std::string& line) {
        return line.find("/include/jobhost/") != std::string::npos ||
               line.find("/include/c++/") != std::string::npos;
    };
    const auto last = std::find_if_not(lines.rbegin(), lines.rend(), is_border);
    lines.erase(last.base(), lines.end());
}

/// The throw itself is not the author's code. The SDK leaves it out already, where it can tell it:
/// a sanitizer's own __cxa_throw hides the runtime's.
void drop_throw(std::vector<std::string>& lines) {
    const auto throws = [](const std::string& line) {
        return line.starts_with("__cxa_throw") || line.starts_with("__cxa_rethrow") ||
               line.starts_with("_Unwind_RaiseException");
    };
    const auto innermost = std::find_if(lines.rbegin(), lines.rend(), throws);
    if (innermost != lines.rbegin()) lines.erase(lines.begin(), innermost.base());
}

/// Never destroyed: plugin threads may fail while the process ends.
Symboliser& symboliser() {
    static auto& only = *new Symboliser;
    return only;
}

}  // namespace

std::string stack_trace_text(std::span<const std::uint64_t> frames) {
    std::vector<std::string> lines;
    for (const std::uint64_t address : frames.first(std::min(frames.size(), kMostFrames))) {
        const Frame frame = symboliser().look_up(address);
        if (frame.in_host) break;
        add_lines(frame.lines, lines);
    }
    drop_throw(lines);
    drop_border(lines);
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i > 0) text += '\n';
        text += '#' + std::to_string(i) + ' ' + lines[i];
    }
    return text;
}

void symbols_changed() {
    symboliser().forget();
}

}  // namespace jobhost
