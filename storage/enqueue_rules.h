#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "storage/job.h"
#include "storage/storage.h"

namespace jobhost {

inline constexpr std::size_t kMaxNameBytes = 128;  // type, queue
inline constexpr std::size_t kMaxTagBytes = 128;
inline constexpr std::size_t kMaxTags = 64;
inline constexpr std::size_t kMaxKeyBytes = 512;
inline constexpr int kMaxJsonDepth = 256;
inline constexpr int kMaxAttemptsLimit = 1'000'000;

/// Why a queue's or type's name is not acceptable, as the end of a sentence that begins with the
/// name; nullopt when it is. Letters, digits and `_ . - : /`, 1 to 128 bytes.
std::optional<std::string> check_name(std::string_view name);

/// Why this job can never be stored, as one sentence; nullopt when it can. The one set of rules for
/// every way in.
std::optional<std::string> check_new_job(const NewJob& job, std::size_t max_input_bytes);

/// What whoever enqueued should know about a job that was stored: that nobody would run it now; one
/// sentence without its end, or empty.
std::string enqueue_warning(const NewJob& job, const Enqueued& stored);

/// Why the text is not JSON (RFC 8259, UTF-8, nesting of at most 256), with the byte offset;
/// nullopt when it is. Numbers of any size are JSON.
std::optional<std::string> check_json(std::string_view text);

}  // namespace jobhost
