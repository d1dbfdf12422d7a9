#include "config/file_text.h"

#include <cerrno>
#include <fstream>
#include <system_error>

namespace jobhost::config {

tl::expected<std::string, std::string> read_file(const std::filesystem::path& file,
                                                 std::size_t most) {
    const auto failure = [](int error) {
        return tl::unexpected<std::string>("cannot be read: " +
                                           std::generic_category().message(error));
    };
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) return failure(EISDIR);

    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return failure(errno == 0 ? EIO : errno);
    // One byte more than allowed tells a file that fits exactly from one that is cut.
    std::string text(most + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (stream.bad()) return failure(EIO);
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most) {
        return tl::unexpected<std::string>("is larger than " + std::to_string(most / 1024) +
                                           " KiB");
    }
    return text;
}

}  // namespace jobhost::config
