#pragma once

#include <chrono>
#include <string>

#include "tests/torture/shim_control.h"

namespace jobhost::torture {

/// The words through which the shim of one process is told what to do. They outlive the process:
/// the next one may have the same.
class ControlFile {
public:
    explicit ControlFile(std::string path);
    ~ControlFile();
    ControlFile(const ControlFile&) = delete;
    ControlFile& operator=(const ControlFile&) = delete;

    void set_clock(std::chrono::microseconds offset) {
        write(words_->clock_offset_us, offset.count());
    }
    void set_sync_delay(std::chrono::microseconds delay) {
        write(words_->sync_delay_us, delay.count());
    }
    /// In its next write transaction; forgotten when there is none until `go_on`.
    void at_commit(torture_at_commit what) { write(words_->at_commit, what); }

    /// For who starts the process.
    std::string environment() const { return "TORTURE_CONTROL=" + path_; }

private:
    static void write(std::int64_t& word, std::int64_t value) {
        __atomic_store_n(&word, value, __ATOMIC_RELAXED);
    }

    std::string path_;
    torture_control* words_ = nullptr;
};

}  // namespace jobhost::torture
