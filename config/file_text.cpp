#include "config/file_text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include <sys/stat.h>

namespace jobhost::config {
namespace {

class OpenFile {
public:
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    explicit OpenFile(const std::filesystem::path& path)
        : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
    ~OpenFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    int get() const { return descriptor_; }

private:
    int descriptor_;
};

tl::unexpected<std::string> failure(int error) {
    return tl::unexpected("cannot be read: " + std::generic_category().message(error));
}

}  // namespace

tl::expected<std::string, std::string> read_file(const std::filesystem::path& file,
                                                 std::size_t most) {
    const OpenFile opened(file);
    struct stat about = {};
    if (opened.get() < 0 || ::fstat(opened.get(), &about) != 0) return failure(errno);
    if (S_ISDIR(about.st_mode)) return failure(EISDIR);
    if (!S_ISREG(about.st_mode)) {
        return tl::unexpected<std::string>("is not a regular file but a pipe, socket or device");
    }
    std::string text;
    std::array<char, 64 * 1024> part = {};
    // One byte more than allowed tells a file that fits exactly from one that is too long.
    while (text.size() <= most) {
        const std::size_t wanted = std::min(part.size(), most + 1 - text.size());
        const ssize_t count = ::read(opened.get(), part.data(), wanted);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return failure(errno);
        if (count == 0) return text;
        text.append(part.data(), static_cast<std::size_t>(count));
    }
    return tl::unexpected("is larger than " + std::to_string(most / 1024) + " KiB");
}

}  // namespace jobhost::config
