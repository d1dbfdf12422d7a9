#pragma once

// Where an exception was thrown.
//
// When a handler runs, the stack of the throw is gone. But unwinding has two phases, and in the
// first the runtime only ASKS each handler whether it wants the exception, while the throwing
// frames are still there. guarded() (guard.hpp) therefore has `catch (Probe&)` in front of
// `catch (...)`, and the type_info of Probe is an object of our own: asked "do you catch this?", it
// notes the stack and says no. The price is paid once per exception that leaves the author's code,
// never for those that the author catches, and it works with every standard library, shared or
// static. Define JOBHOST_SDK_NO_PROBE to leave it out.

#include <cstdint>
#include <cxxabi.h>
#include <typeinfo>
#include <unwind.h>

#include <jobhost/detail/config.hpp>

namespace jobhost {
inline namespace v1 {
namespace detail {

struct Frames {
    std::uint64_t addresses[64];
    std::size_t count;
};

// Trivially destructible: a destructor here would pin the library to each thread.
JOBHOST_HIDDEN inline thread_local Frames throw_site{};

#if !defined(JOBHOST_SDK_NO_PROBE)

/// Frames of the unwinder and of the throw itself are not the author's.
inline bool starts_unwinding(const void* function) noexcept {
    return function == reinterpret_cast<void*>(&_Unwind_RaiseException) ||
           function == reinterpret_cast<void*>(&abi::__cxa_throw) ||
           function == reinterpret_cast<void*>(&abi::__cxa_rethrow);
}

inline _Unwind_Reason_Code add_frame(_Unwind_Context* context, void* target) noexcept {
    Frames& frames = *static_cast<Frames*>(target);
    int before_instruction = 0;
    std::uintptr_t address = _Unwind_GetIPInfo(context, &before_instruction);
    if (address == 0) return _URC_END_OF_STACK;
    // A return address may belong to the next line already: point into the call.
    if (before_instruction == 0) --address;
    if (starts_unwinding(_Unwind_FindEnclosingFunction(reinterpret_cast<void*>(address)))) {
        frames.count = 0;
        return _URC_NO_REASON;
    }
    if (frames.count == sizeof frames.addresses / sizeof frames.addresses[0]) {
        return _URC_END_OF_STACK;
    }
    frames.addresses[frames.count++] = address;
    return _URC_NO_REASON;
}

inline void note_throw_site() noexcept {
    throw_site.count = 0;
    _Unwind_Backtrace(add_frame, &throw_site);
}

// Its key function is never defined, so the compiler expects its type_info elsewhere: below.
class Probe {
    virtual void key();
    Probe();
    ~Probe();
};

#if defined(_LIBCPP_VERSION)  // the slots of libc++abi's __shim_type_info
struct ProbeType : std::type_info {
    ProbeType() : std::type_info("7jobhost5Probe") {}
    virtual void noop1() const {}
    virtual void noop2() const {}
    virtual bool can_catch(const void*, void*&) const {
        note_throw_site();
        return false;
    }
};
#else  // the public virtual functions of libstdc++'s std::type_info
struct ProbeType : std::type_info {
    ProbeType() : std::type_info("7jobhost5Probe") {}
    bool __do_catch(const std::type_info*, void**, unsigned) const override {
        note_throw_site();
        return false;
    }
};
#endif

// The name of typeid(Probe), which `catch (Probe&)` refers to.
JOBHOST_HIDDEN
__attribute__((used)) inline ProbeType probe_type __asm__("_ZTIN7jobhost2v16detail5ProbeE");

#endif  // !JOBHOST_SDK_NO_PROBE

}  // namespace detail
}  // namespace v1
}  // namespace jobhost
