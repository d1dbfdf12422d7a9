#pragma once

// What JOBHOST_PLUGIN puts behind the exported symbol.

#include <new>

#include <jobhost/plugin.hpp>

#define JOBHOST_DETAIL_TEXT2(x) #x
#define JOBHOST_DETAIL_TEXT(x) JOBHOST_DETAIL_TEXT2(x)
#if defined(__clang__)
#define JOBHOST_DETAIL_COMPILER "clang " __clang_version__
#else
#define JOBHOST_DETAIL_COMPILER "gcc " __VERSION__
#endif
#if defined(_LIBCPP_VERSION)
#define JOBHOST_DETAIL_LIBRARY " libc++ " JOBHOST_DETAIL_TEXT(_LIBCPP_VERSION)
#elif defined(__GLIBCXX__)
#define JOBHOST_DETAIL_LIBRARY " libstdc++ " JOBHOST_DETAIL_TEXT(__GLIBCXX__)
#else
#define JOBHOST_DETAIL_LIBRARY ""
#endif
#define JOBHOST_DETAIL_BUILD_INFO \
    JOBHOST_DETAIL_COMPILER JOBHOST_DETAIL_LIBRARY " sdk " JOBHOST_SDK_VERSION

namespace jobhost {
inline namespace v1 {
namespace detail {

/// A plugin with its tables, or the reason why there are none. Never destroyed: other threads may
/// be inside it while the process exits.
class PluginInstance {
public:
    PluginInstance(const char* name, const char* version, void (*setup)(Plugin&)) noexcept {
        guarded(
            [&] {
                plugin_ = std::make_unique<Plugin>(name, version);
                setup(*plugin_);
                description_ = plugin_->finish();
            },
            [&] {
                keep_error();
                return JOBHOST_ERROR;
            });
    }

    const jobhost_plugin* describe(const jobhost_error** error) const noexcept {
        if (description_ == nullptr && error != nullptr) *error = error_;
        return description_;
    }
    jobhost_status start(const jobhost_host* host) noexcept {
        if (description_ != nullptr) return plugin_->start(host);
        host->report_error(host, error_);
        return JOBHOST_ERROR;
    }
    void stop() noexcept {
        if (description_ != nullptr) plugin_->stop();
    }

private:
    void keep_error() noexcept {
        const Frames frames = throw_site;
        try {
            record_ = ErrorRecord::of_current_exception();
            record_->set_frames(frames);
            error_ = record_->finish();
        } catch (...) {
            error_ = &out_of_memory_error();
        }
    }

    std::unique_ptr<Plugin> plugin_;
    const jobhost_plugin* description_ = nullptr;
    std::unique_ptr<ErrorRecord> record_;
    const jobhost_error* error_ = nullptr;
};

template <std::size_t N>
constexpr void copy_text(char (&to)[N], const char* from) {
    for (std::size_t i = 0; i + 1 < N && from[i] != '\0'; ++i) to[i] = from[i];
}

constexpr jobhost_note make_note(const char* name, const char* version) {
    jobhost_note note{};
    note.magic = JOBHOST_MAGIC;
    note.struct_size = sizeof(jobhost_note);
    note.abi_major = JOBHOST_ABI_MAJOR;
    note.abi_minor = JOBHOST_ABI_MINOR;
    note.pointer_bits = sizeof(void*) * 8;
    copy_text(note.name, name);
    copy_text(note.version, version);
    copy_text(note.sdk, "cpp " JOBHOST_SDK_VERSION);
    return note;
}

}  // namespace detail
}  // namespace v1
}  // namespace jobhost

/// JOBHOST_PLUGIN("payments", "1.4.0", plugin) { plugin.job<...>(...); }
/// Once in a plugin, outside of any namespace. The block registers and does nothing else.
#define JOBHOST_PLUGIN(name, version, variable)                                                 \
    static void jobhost_register(::jobhost::Plugin& variable);                                  \
    static ::jobhost::detail::PluginInstance& jobhost_instance() noexcept {                     \
        using Instance = ::jobhost::detail::PluginInstance;                                     \
        alignas(Instance) static unsigned char place[sizeof(Instance)];                         \
        static Instance& instance = *new (place) Instance(name, version, &jobhost_register);    \
        return instance;                                                                        \
    }                                                                                           \
    static const jobhost_plugin* jobhost_describe(const jobhost_error** error) noexcept {       \
        return jobhost_instance().describe(error);                                              \
    }                                                                                           \
    static jobhost_status jobhost_start(const jobhost_host* host, void** self) noexcept {       \
        *self = &jobhost_instance();                                                            \
        return jobhost_instance().start(host);                                                  \
    }                                                                                           \
    static void jobhost_stop(void*) noexcept {                                                  \
        jobhost_instance().stop();                                                              \
    }                                                                                           \
    __attribute__((section(JOBHOST_NOTE_SECTION),                                               \
                   used)) static constexpr jobhost_note jobhost_plugin_note =                   \
        ::jobhost::detail::make_note(name, version);                                            \
    extern "C" {                                                                                \
    JOBHOST_EXPORT extern const jobhost_plugin_entry jobhost_plugin_v1;                         \
    }                                                                                           \
    const jobhost_plugin_entry jobhost_plugin_v1 = {JOBHOST_MAGIC,                              \
                                                    sizeof(jobhost_plugin_entry),               \
                                                    JOBHOST_ABI_MAJOR,                          \
                                                    JOBHOST_ABI_MINOR,                          \
                                                    0,                                          \
                                                    sizeof(void*) * 8,                          \
                                                    0,                                          \
                                                    JOBHOST_STR_LIT(JOBHOST_DETAIL_BUILD_INFO), \
                                                    &jobhost_describe,                          \
                                                    &jobhost_start,                             \
                                                    &jobhost_stop,                              \
                                                    nullptr};                                   \
    static void jobhost_register([[maybe_unused]] ::jobhost::Plugin& variable)
