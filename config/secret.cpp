#include "config/secret.h"

#include "config/file_text.h"

namespace jobhost::config {
namespace {

constexpr std::size_t kLargestSecret = 64 * 1024;

}  // namespace

Parsed<std::string> read_secret(const std::string& file) {
    auto content = read_file(file, kLargestSecret);
    if (!content) return tl::unexpected<std::string>("the file " + file + " " + content.error());
    while (content->ends_with('\n') || content->ends_with('\r')) content->pop_back();
    if (content->empty()) return tl::unexpected<std::string>("the file " + file + " is empty");
    return *std::move(content);
}

}  // namespace jobhost::config
