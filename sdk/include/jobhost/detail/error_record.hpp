#pragma once

// The exception that is being handled, as a jobhost_error.

#include <algorithm>
#include <cxxabi.h>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <jobhost/detail/throw_site.hpp>
#include <jobhost/detail/type_name.hpp>
#include <jobhost/errors.hpp>

namespace jobhost {
inline namespace v1 {
namespace detail {

inline constexpr int kDeepestCause = 8;
inline constexpr std::size_t kMostAggregated = 64;

/// Asks for the exception that is being handled, without rethrowing it: the C++ runtime can handle
/// a foreign one only once, and libstdc++ would take its header for a C++ exception's.
inline bool is_foreign_exception() noexcept {
    return std::current_exception() == nullptr;
}

/// Owns what a jobhost_error borrows.
class ErrorRecord {
public:
    /// Call inside a catch block.
    static std::unique_ptr<ErrorRecord> of_current_exception(int depth = 0) {
        auto record = std::make_unique<ErrorRecord>();
        if (is_foreign_exception()) {
            record->type_ = "foreign exception";
            record->message_ = "an exception that is not of C++";
            record->add_flag(JOBHOST_ERROR_FOREIGN);
        } else {
            record->read_type();
            record->read_message(depth);
        }
        return record;
    }

    void set_frames(const Frames& frames) { frames_ = frames; }

    /// Valid while the record lives. Call once, when everything is set.
    const jobhost_error* finish() {
        error_.struct_size = sizeof error_;
        error_.type = str(type_);
        error_.message = str(message_);
        base_strs_ = strs(bases_);
        error_.bases = base_strs_.data();
        error_.n_bases = base_strs_.size();
        error_.frames = frames_.addresses;
        error_.n_frames = frames_.count;
        for (const auto& cause : causes_) cause_errors_.push_back(cause->finish());
        error_.causes = cause_errors_.data();
        error_.n_causes = cause_errors_.size();
        return &error_;
    }

private:
    void add_flag(unsigned flag) { error_.flags |= flag; }

    void read_type() {
        const std::type_info* type = abi::__cxa_current_exception_type();
        type_ = type_name(*type);
        bases_ = base_names(*type);
        // std::throw_with_nested throws a library type derived from the author's error.
        if (!bases_.empty() && (type_.rfind("std::_Nested_exception<", 0) == 0 ||
                                type_.rfind("std::__nested<", 0) == 0)) {
            type_ = bases_.front();
            bases_.erase(bases_.begin());
            bases_.erase(std::remove(bases_.begin(), bases_.end(), "std::nested_exception"),
                         bases_.end());
        }
    }

    void read_message(int depth) {
        try {
            throw;
        } catch (const std::exception& error) {
            const char* text = error.what();
            message_ = text == nullptr ? "" : text;
            read_own_kinds(error, depth);
            add_nested(error, depth);
        } catch (const std::string& text) {
            message_ = text;
        } catch (const char* text) {
            message_ = text == nullptr ? "" : text;
        } catch (const std::nested_exception& error) {
            message_ = "exception of type " + type_;
            add_nested(error, depth);
        } catch (...) {
            message_ = "exception of type " + type_;
        }
    }

    void read_own_kinds(const std::exception& error, int depth) {
        if (const auto* later = dynamic_cast<const RetryAfter*>(&error)) {
            add_flag(JOBHOST_ERROR_RETRY_AFTER);
            error_.retry_after_us = std::max<std::int64_t>(0, later->delay().count());
        } else if (const auto* several = dynamic_cast<const AggregateError*>(&error)) {
            add_flag(JOBHOST_ERROR_AGGREGATE);
            for (const std::exception_ptr& element : several->errors()) {
                if (causes_.size() < kMostAggregated) add_cause(element, depth);
            }
        }
    }

    template <class E>
    void add_nested(const E& error, int depth) {
        // What an aggregate holds are its causes; a nested one besides would look like an element.
        const auto* nested = dynamic_cast<const std::nested_exception*>(&error);
        if (nested == nullptr || (error_.flags & JOBHOST_ERROR_AGGREGATE) != 0) return;
        add_cause(nested->nested_ptr(), depth);
    }

    void add_cause(const std::exception_ptr& cause, int depth) {
        if (cause == nullptr || depth >= kDeepestCause) return;
        try {
            std::rethrow_exception(cause);
        } catch (...) {
            causes_.push_back(of_current_exception(depth + 1));
        }
    }

    std::string type_;
    std::string message_;
    std::vector<std::string> bases_;
    std::vector<jobhost_str> base_strs_;
    std::vector<std::unique_ptr<ErrorRecord>> causes_;
    std::vector<const jobhost_error*> cause_errors_;
    Frames frames_{};
    jobhost_error error_{};
};

/// For when there is no memory left to describe an error.
JOBHOST_HIDDEN inline const jobhost_error& out_of_memory_error() noexcept {
    static const jobhost_error error = [] {
        jobhost_error result{};
        result.struct_size = sizeof result;
        result.type = JOBHOST_STR_LIT("std::bad_alloc");
        result.message = JOBHOST_STR_LIT("out of memory while an error was described");
        return result;
    }();
    return error;
}

}  // namespace detail
}  // namespace v1
}  // namespace jobhost
