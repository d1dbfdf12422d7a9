#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace jobhost {

/// One TCP connection to a server on this machine, for tests that speak HTTP by hand.
class HttpClient {
public:
    explicit HttpClient(int port, std::chrono::seconds patience = std::chrono::seconds(20))
        : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        const timeval limit = {.tv_sec = patience.count(), .tv_usec = 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the sockets API
        const auto* where = reinterpret_cast<const sockaddr*>(&address);
        connected_ = ::connect(socket_, where, sizeof address) == 0;
    }
    ~HttpClient() { ::close(socket_); }
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    bool connected() const { return connected_; }

    bool send(std::string_view text) {
        while (!text.empty()) {
            const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    /// What comes until the server closes the connection, or nothing comes for so long.
    std::string read_all() {
        std::string text;
        char part[4096];
        for (ssize_t got = 1; got > 0;) {
            got = ::recv(socket_, part, sizeof part, 0);
            if (got > 0) text.append(part, static_cast<std::size_t>(got));
        }
        return text;
    }

    /// What has come when `end` is in it.
    std::string read_until(std::string_view end) {
        std::string text;
        char byte = 0;
        while (text.find(end) == std::string::npos && ::recv(socket_, &byte, 1, 0) == 1) {
            text += byte;
        }
        return text;
    }

private:
    const int socket_;
    bool connected_ = false;
};

/// The whole answer to one GET, head and body.
inline std::string http_get(int port, const std::string& target, const std::string& headers = "") {
    HttpClient client(port);
    client.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                headers + "\r\n");
    return client.read_all();
}

}  // namespace jobhost
