#include "tests/support/tcp_proxy.h"

#include <array>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace jobhost {
namespace {

constexpr int kLookMs = 50;

sockaddr_in here(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

int bound_socket(int& port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = here(0);
    socklen_t size = sizeof(address);
    if (::bind(socket, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        throw std::runtime_error("no free port");
    }
    port = ntohs(address.sin_port);
    return socket;
}

bool is_readable(int socket) {
    pollfd look{.fd = socket, .events = POLLIN, .revents = 0};
    return ::poll(&look, 1, kLookMs) > 0;
}

bool has_statement(std::string_view bytes, const std::string& statement) {
    return bytes.find(statement + '\0') != std::string_view::npos ||
           bytes.find(statement + ';') != std::string_view::npos;
}

}  // namespace

int free_port() {
    int port = 0;
    ::close(bound_socket(port));
    return port;
}

TcpProxy::TcpProxy(int server_port) : server_port_(server_port) {
    listener_ = bound_socket(port_);
    ::listen(listener_, 16);
    acceptor_ = std::thread([this] { accept_all(); });
}

TcpProxy::~TcpProxy() {
    ends_.store(true);
    acceptor_.join();
    for (std::thread& thread : threads_) thread.join();
    ::close(listener_);
}

void TcpProxy::cut_behind(const std::string& statement) {
    const std::lock_guard lock(mutex_);
    statement_ = statement;
}

void TcpProxy::accept_all() {
    while (!ends_.load()) {
        if (!is_readable(listener_)) continue;
        const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address = here(server_port_);
        if (::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
            ::close(client);
            ::close(server);
            continue;
        }
        const int number = ++accepted_;
        threads_.emplace_back([this, client, server, number] { pass(client, server, number); });
    }
}

void TcpProxy::pass(int client, int server, int number) {
    std::array<char, 65536> buffer{};
    bool open = true;
    bool cut = false;
    while (open && !ends_.load()) {
        if (number <= frozen_before_.load()) {
            ::usleep(kLookMs * 1000);
            continue;
        }
        std::array<pollfd, 2> look{pollfd{.fd = client, .events = POLLIN, .revents = 0},
                                   pollfd{.fd = server, .events = POLLIN, .revents = 0}};
        if (::poll(look.data(), look.size(), kLookMs) <= 0) continue;
        for (const bool from_client : {true, false}) {
            if (look[from_client ? 0 : 1].revents == 0) continue;
            const auto size = ::read(from_client ? client : server, buffer.data(), buffer.size());
            if (size <= 0) open = false;
            if (size <= 0 || (cut && !from_client)) break;
            const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
            if (::write(from_client ? server : client, bytes.data(), bytes.size()) != size) {
                open = false;
            }
            const std::lock_guard lock(mutex_);
            if (from_client && !statement_.empty() && has_statement(bytes, statement_)) {
                statement_.clear();
                cut = true;
            }
        }
        // The server's answer is here, so it has done what it was asked; nobody hears of it.
        if (cut && is_readable(server)) {
            cut_.store(true);
            open = false;
        }
    }
    ::close(client);
    ::close(server);
}

}  // namespace jobhost
