#include "host/signals.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <sys/eventfd.h>
#include <sys/signalfd.h>

namespace jobhost {
namespace {

sigset_t our_signals() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&set, signal);
    return set;
}

int checked(int fd, const char* what) {
    if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
    return fd;
}

}  // namespace

void block_signals() {
    const sigset_t set = our_signals();
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Signals::Signals(Handlers handlers) : handlers_(std::move(handlers)) {
    const sigset_t set = our_signals();
    signal_fd_ = checked(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
    wake_fd_ = checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
    thread_ = std::jthread([this](const std::stop_token& stop) { read_signals(stop); });
}

Signals::~Signals() {
    thread_.request_stop();
    const std::uint64_t one = 1;
    while (::write(wake_fd_, &one, sizeof one) < 0 && errno == EINTR) {
    }
    thread_.join();
    ::close(signal_fd_);
    ::close(wake_fd_);
}

void Signals::read_signals(const std::stop_token& stop) {
    ::pthread_setname_np(::pthread_self(), "signals");
    std::array<pollfd, 2> watched = {pollfd{signal_fd_, POLLIN, 0}, pollfd{wake_fd_, POLLIN, 0}};
    while (!stop.stop_requested()) {
        ::poll(watched.data(), watched.size(), -1);
        signalfd_siginfo seen = {};
        while (::read(signal_fd_, &seen, sizeof seen) == sizeof seen) {
            const int signal = static_cast<int>(seen.ssi_signo);
            if (signal == SIGHUP) {
                handlers_.reload();
            } else {
                handlers_.stop(signal);
            }
        }
    }
}

}  // namespace jobhost
