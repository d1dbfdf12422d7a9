#include "tests/torture/disk.h"

#include <array>
#include <fcntl.h>
#include <sched.h>
#include <stdexcept>
#include <unistd.h>

#include <sys/mount.h>

namespace jobhost::torture {
namespace {

constexpr const char* kSize = "size=256m";

void write_until_full(int fd) {
    static constexpr std::array<char, 65536> kBlock{};
    for (const std::size_t size : {kBlock.size(), std::size_t{4096}, std::size_t{1}}) {
        while (::write(fd, kBlock.data(), size) > 0) {
        }
    }
}

}  // namespace

bool Disk::prepare() {
    return ::unshare(CLONE_NEWNS) == 0 &&
           ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

Disk::Disk(const std::filesystem::path& folder) : folder_(folder) {
    if (::mount("torture", folder.c_str(), "tmpfs", 0, kSize) != 0) {
        throw std::runtime_error("cannot mount a small disk at " + folder.string());
    }
}

Disk::~Disk() {
    ::umount2(folder_.c_str(), MNT_DETACH);
}

std::shared_ptr<void> Disk::fill() const {
    const std::filesystem::path file = folder_ / "filler";
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
    if (fd < 0) return nullptr;
    write_until_full(fd);
    return {nullptr, [fd, file](void*) {
                ::close(fd);
                ::unlink(file.c_str());
            }};
}

}  // namespace jobhost::torture
