#include "host/cli/output.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include "host/cli/exit_status.h"
#include "host/observe/printable.h"
#include "host/text/json_writer.h"

namespace jobhost::cli {
namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;
constexpr std::size_t kLongestLine = 1024 * 1024;

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

/// 0, or the errno of what failed.
int write_whole(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

std::string read_whole(int fd, std::size_t limit, const std::string& name) {
    std::string text;
    std::array<char, 64 * 1024> part = {};
    while (text.size() <= limit) {
        const std::size_t wanted = std::min(part.size(), limit + 1 - text.size());
        const ssize_t count = ::read(fd, part.data(), wanted);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            throw CommandError(kFailed,
                               name + " cannot be read: " + std::generic_category().message(errno));
        }
        if (count == 0) break;
        text.append(part.data(), static_cast<std::size_t>(count));
    }
    return text;
}

}  // namespace

Output::Output() : is_terminal_(::isatty(STDOUT_FILENO) == 1) {
    const char* terminal = std::getenv("TERM");
    const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
    colours_ = is_terminal_ && !dumb && !is_set("NO_COLOR");
}

void Output::write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kBufferBytes) flush();
}

void Output::line(std::string_view text) {
    buffer_ += printable(text, kLongestLine);
    write("\n");
}

void Output::json(std::string_view part) {
    if (is_terminal_) return write(printable_json(part));
    write(part);
}

void Output::document(std::string_view json_text) {
    json(json_text);
    write("\n");
}

void Output::flush() {
    if (!broken_ && !buffer_.empty()) {
        const int error = write_whole(STDOUT_FILENO, buffer_);
        broken_ = error != 0;
        if (error != EPIPE) error_ = error;
    }
    buffer_.clear();
}

void complain(std::string_view sentence) {
    static_cast<void>(write_whole(STDERR_FILENO, "jobhost: " + printable(sentence) + '\n'));
}

void complain_of_failure(std::string_view sentences, bool as_json) {
    while (sentences.ends_with('\n')) sentences.remove_suffix(1);
    if (as_json) {
        JsonWriter json;
        json.begin_object().field("error", sentences).end_object();
        const std::string document = printable_json(json.text()) + '\n';
        static_cast<void>(write_whole(STDERR_FILENO, document));
        return;
    }
    while (!sentences.empty()) {
        const std::size_t end = sentences.find('\n');
        complain(sentences.substr(0, end));
        sentences.remove_prefix(end == std::string_view::npos ? sentences.size() : end + 1);
    }
}

std::string read_standard_input(std::size_t limit) {
    return read_whole(STDIN_FILENO, limit, "standard input");
}

std::string read_file(const std::string& path, std::size_t limit) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        throw CommandError(kFailed, "the file " + path + " cannot be opened: " +
                                        std::generic_category().message(errno));
    }
    struct Closer {
        int fd;
        ~Closer() { ::close(fd); }
    } closer{fd};
    return read_whole(fd, limit, "the file " + path);
}

}  // namespace jobhost::cli
