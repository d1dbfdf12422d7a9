#pragma once

#include <string_view>

namespace jobhost {

/// Where the last line of a process that crashes or exits is logged, besides standard error: an
/// open descriptor, or -1 for nowhere else. `json`: as a line of a JSON log. One for the process;
/// thread-safe. Log keeps it at the file that it writes to.
void set_last_words_target(int descriptor, bool json);

/// Logs the sentence as an error, at once. May be called by a signal handler: it allocates nothing
/// and takes no lock.
void write_last_words(std::string_view sentence);

}  // namespace jobhost
