#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace jobhost {

/// Why code from this file must not run here: someone other than root and the host's user could
/// have written it, or could replace it. One sentence for each reason, each with a path; empty:
/// none. `file` is absolute and free of symbolic links (std::filesystem::canonical).
///
/// Trusted is a file that root or the host's user owns and that neither group nor others may write,
/// in folders of which the same holds up to the root, except that
/// - the owner's private group (named like the owner, without other members) may write a folder,
/// - folders above the file's own may be open to all when they have the sticky bit, like /tmp.
std::vector<std::string> distrust_reasons(const std::filesystem::path& file);

/// The file's SHA-256 as 64 lower-case hex digits; nullopt when it cannot be read.
std::optional<std::string> sha256_of(int descriptor);

/// The pin as the operator wrote it (upper case, spaces around it) in the form of sha256_of;
/// nullopt when it is not 64 hex digits.
std::optional<std::string> normalised_pin(const std::string& pin);

}  // namespace jobhost
