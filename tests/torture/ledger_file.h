#pragma once

#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace jobhost::torture {

/// One line in one write to a file opened for appending: lines of several processes never mix, and
/// a process that is killed leaves a whole line or none.
inline void append_line(const std::string& file, const std::string& line) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
    const std::string text = line + "\n";
    const bool is_written =
        ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::close(fd);
    if (!is_written) throw std::runtime_error("cannot write the ledger " + file);
}

}  // namespace jobhost::torture
