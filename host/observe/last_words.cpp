#include "host/observe/last_words.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <unistd.h>

namespace jobhost {
namespace {

std::atomic<int> target{-1};
std::atomic<bool> target_is_json{false};

/// A line of bounded length, without the heap.
class Line {
public:
    void add(std::string_view text) {
        const std::size_t fits = std::min(text.size(), bytes_.size() - 1 - used_);
        std::memcpy(bytes_.data() + used_, text.data(), fits);
        used_ += fits;
    }
    void add(char c) { add(std::string_view(&c, 1)); }
    void add_number(unsigned number, int digits) {
        std::array<char, 10> text = {};
        for (int i = digits; i-- > 0; number /= 10) {
            text[static_cast<std::size_t>(i)] = static_cast<char>('0' + number % 10);
        }
        add(std::string_view(text.data(), static_cast<std::size_t>(digits)));
    }
    /// Names of plugins and types: what could end a JSON string or a line becomes a question mark.
    void add_plain(std::string_view text) {
        for (const char c : text) {
            const bool is_plain = c >= 0x20 && c != 0x7f && c != '"' && c != '\\';
            add(is_plain || static_cast<unsigned char>(c) >= 0x80 ? c : '?');
        }
    }
    void add_time_now();
    void write_to(int descriptor) {
        bytes_[used_++] = '\n';  // `add` leaves room for it
        ssize_t written = 0;
        do {
            written = ::write(descriptor, bytes_.data(), used_);
        } while (written < 0 && errno == EINTR);
    }

private:
    std::array<char, 2048> bytes_;
    std::size_t used_ = 0;
};

/// RFC 3339, as in every other line. By arithmetic: gmtime may take a lock.
void Line::add_time_now() {
    timespec now = {};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const std::chrono::sys_seconds seconds{std::chrono::seconds(now.tv_sec)};
    const auto day = std::chrono::floor<std::chrono::days>(seconds);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{seconds - day};
    add_number(static_cast<unsigned>(static_cast<int>(date.year())), 4);
    add('-');
    add_number(static_cast<unsigned>(date.month()), 2);
    add('-');
    add_number(static_cast<unsigned>(date.day()), 2);
    add('T');
    add_number(static_cast<unsigned>(time.hours().count()), 2);
    add(':');
    add_number(static_cast<unsigned>(time.minutes().count()), 2);
    add(':');
    add_number(static_cast<unsigned>(time.seconds().count()), 2);
    add('.');
    add_number(static_cast<unsigned>(now.tv_nsec / 1000), 6);
    add('Z');
}

}  // namespace

void set_last_words_target(int descriptor, bool json) {
    target_is_json.store(json);
    target.store(descriptor);
}

void write_last_words(std::string_view sentence) {
    const int descriptor = target.load();
    if (descriptor < 0) return;
    const bool json = target_is_json.load();
    Line line;
    if (json) line.add(R"({"time":")");
    line.add_time_now();
    line.add(json ? std::string_view(R"(","level":"error","message":")")
                  : std::string_view(" error   "));
    line.add_plain(sentence.substr(0, 1024));
    if (json) line.add(R"("})");
    line.write_to(descriptor);
}

}  // namespace jobhost
