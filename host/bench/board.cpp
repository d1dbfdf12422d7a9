#include "host/bench/board.h"

#include <cerrno>
#include <system_error>
#include <unistd.h>

#include <sys/mman.h>

namespace jobhost::bench {

SharedBoard::SharedBoard() : file_(::memfd_create("jobhost-bench", MFD_CLOEXEC)) {
    if (file_ < 0 || ::ftruncate(file_, sizeof(Board)) != 0) {
        throw std::system_error(errno, std::generic_category(), "shared memory");
    }
    map();
}

SharedBoard::SharedBoard(int file) : file_(file) {
    map();
}

SharedBoard::~SharedBoard() {
    ::munmap(board_, sizeof(Board));
    ::close(file_);
}

void SharedBoard::map() {
    void* memory = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (memory == MAP_FAILED) {
        throw std::system_error(errno, std::generic_category(), "shared memory");
    }
    // Zero bytes are what the members begin with: nobody may construct it a second time.
    board_ = static_cast<Board*>(memory);
}

}  // namespace jobhost::bench
