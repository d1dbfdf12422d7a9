#include "tests/torture/control_file.h"

#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

#include <sys/mman.h>

namespace jobhost::torture {

ControlFile::ControlFile(std::string path) : path_(std::move(path)) {
    const int fd = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
    void* memory = MAP_FAILED;
    if (fd >= 0 && ::ftruncate(fd, sizeof(torture_control)) == 0) {
        memory =
            ::mmap(nullptr, sizeof(torture_control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    ::close(fd);
    if (memory == MAP_FAILED) throw std::runtime_error("cannot map " + path_);
    words_ = static_cast<torture_control*>(memory);
}

ControlFile::~ControlFile() {
    ::munmap(words_, sizeof(torture_control));
}

}  // namespace jobhost::torture
