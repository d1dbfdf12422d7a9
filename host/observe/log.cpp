#include "host/observe/log.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <shared_mutex>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <sys/stat.h>

#include "host/observe/last_words.h"
#include "host/observe/printable.h"
#include "storage/check.h"
#include "storage/json_text.h"

namespace jobhost {
namespace {

constexpr mode_t kFileMode = 0640;
constexpr const char* kTextPattern = "%Y-%m-%dT%H:%M:%S.%fZ %-7l %v";
constexpr const char* kJsonPattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l",%v})";

spdlog::level::level_enum spdlog_level(LogLevel level) {
    switch (level) {
        case LogLevel::kTrace: return spdlog::level::trace;
        case LogLevel::kDebug: return spdlog::level::debug;
        case LogLevel::kInfo: return spdlog::level::info;
        case LogLevel::kWarning: return spdlog::level::warn;
        case LogLevel::kError: return spdlog::level::err;
    }
    JOBHOST_CHECK(false && "an unknown log level");
    __builtin_unreachable();
}

/// -1 with errno set when it fails.
int open_log_file(const std::string& path) {
    const int fd =
        ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, kFileMode);
    if (fd < 0) return -1;
    struct stat status = {};
    // The umask took bits from a file that we have just made; it shall not decide who reads logs.
    if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0 &&
        status.st_uid == ::geteuid()) {
        static_cast<void>(::fchmod(fd, kFileMode));
    }
    return fd;
}

bool is_regular_file(int fd) {
    struct stat status = {};
    return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

/// False: it takes nothing more within that time, or is broken.
bool takes_more(int fd, int milliseconds) {
    pollfd target = {fd, POLLOUT, 0};
    int ready = 0;
    do {
        ready = ::poll(&target, 1, milliseconds);
    } while (ready < 0 && errno == EINTR);
    return ready > 0 && (target.revents & POLLOUT) != 0;
}

/// Writes lines to a descriptor. spdlog's own file sink knows neither O_CLOEXEC nor a file mode.
class DescriptorSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit DescriptorSink(std::string path) : path_(std::move(path)) {
        if (!path_.empty()) fd_ = open_log_file(path_);
        if (fd_ < 0) {
            throw std::system_error(errno, std::generic_category(),
                                    "the log file " + path_ + " cannot be opened");
        }
        can_block_ = !is_regular_file(fd_);
    }
    ~DescriptorSink() override {
        if (path_.empty()) return;
        set_last_words_target(-1, false);
        ::close(fd_);
    }

    /// 0, or the errno of what failed.
    int reopen() {
        if (path_.empty()) return 0;
        const int fd = open_log_file(path_);
        if (fd < 0) return errno;
        const std::lock_guard lock(mutex_);
        const int old = std::exchange(fd_, fd);
        can_block_ = !is_regular_file(fd);
        tell_last_words();
        ::close(old);
        return 0;
    }

    /// What a crash says goes to standard error in any case; and to the file, in its format.
    void use_for_last_words(bool json) {
        const std::lock_guard lock(mutex_);
        is_json_ = json;
        tell_last_words();
    }

protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        line_.clear();
        formatter_->format(message, line_);
        write_line();
    }
    void flush_() override {}  // nothing is buffered

private:
    /// A pipe whose reader does not read must not stop the node: after one short wait its lines are
    /// dropped until it reads again. Written in parts that fit where poll() says so.
    void write_line() {
        const char* text = line_.data();
        std::size_t left = line_.size();
        while (left > 0) {
            if (can_block_ && !takes_more(fd_, is_stuck_ ? 0 : kPatienceMs)) {
                is_stuck_ = true;
                return;
            }
            const ssize_t written = ::write(fd_, text, can_block_ ? std::min(left, kPart) : left);
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) return;
            text += written;
            left -= static_cast<std::size_t>(written);
        }
        is_stuck_ = false;
    }

    void tell_last_words() const {
        if (!path_.empty()) set_last_words_target(fd_, is_json_);
    }

    static constexpr int kPatienceMs = 200;
    static constexpr std::size_t kPart = PIPE_BUF;

    bool can_block_ = false;
    bool is_stuck_ = false;
    bool is_json_ = false;
    const std::string path_;
    int fd_ = STDERR_FILENO;
    spdlog::memory_buf_t line_;
};

std::string text_payload(std::string_view message, const LogSubject& about) {
    std::string text;
    if (about.job != 0) {
        text = "job " + std::to_string(about.job);
        if (!about.type.empty()) text += " (" + printable(about.type) + ')';
        if (about.attempt > 0) text += " attempt " + std::to_string(about.attempt);
        text += ": ";
    }
    return text + printable(message);
}

/// The members after time and level.
std::string json_payload(std::string_view message, const LogSubject& about) {
    std::string text;
    if (about.job != 0) {
        text = "\"job\":\"" + std::to_string(about.job) + "\",";
        if (!about.type.empty()) text += "\"type\":" + json_string(about.type) + ',';
        if (about.attempt > 0) text += "\"attempt\":" + std::to_string(about.attempt) + ',';
    }
    text += "\"message\":";
    append_json_string(text, message);
    return printable_json(text);
}

}  // namespace

class Log::Impl {
public:
    explicit Impl(const LogOptions& options)
        : sink_(std::make_shared<DescriptorSink>(options.file)), logger_("jobhost", sink_) {
        set_format(options.format);
        logger_.set_level(spdlog_level(options.level));
    }

    void set(const LogOptions& options) {
        logger_.set_level(spdlog_level(options.level));
        const std::unique_lock lock(format_mutex_);
        if (format_ != options.format) set_format(options.format);
    }

    bool enabled(LogLevel level) const { return logger_.should_log(spdlog_level(level)); }

    void write(LogLevel level, std::string_view message, const LogSubject& about) {
        if (!enabled(level)) return;
        const std::shared_lock lock(format_mutex_);
        const std::string payload = format_ == LogFormat::kJson ? json_payload(message, about)
                                                                : text_payload(message, about);
        logger_.log(spdlog_level(level), spdlog::string_view_t(payload));
    }

    int reopen() { return sink_->reopen(); }

private:
    void set_format(LogFormat format) {
        format_ = format;
        sink_->set_formatter(std::make_unique<spdlog::pattern_formatter>(
            format == LogFormat::kJson ? kJsonPattern : kTextPattern,
            spdlog::pattern_time_type::utc));
        sink_->use_for_last_words(format == LogFormat::kJson);
    }

    std::shared_mutex format_mutex_;  // shared while a line is made and written
    LogFormat format_ = LogFormat::kText;
    const std::shared_ptr<DescriptorSink> sink_;
    spdlog::logger logger_;
};

Log::Log(const LogOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Log::~Log() = default;

bool Log::enabled(LogLevel level) const {
    return impl_->enabled(level);
}

void Log::write(LogLevel level, std::string_view message, const LogSubject& about) {
    impl_->write(level, message, about);
}

void Log::set(const LogOptions& options) {
    impl_->set(options);
}

void Log::reopen() {
    if (const int error = impl_->reopen(); error != 0) {
        write(LogLevel::kError, "the log file cannot be opened again (" +
                                    std::generic_category().message(error) +
                                    "); the old one stays in use");
    }
}

}  // namespace jobhost
