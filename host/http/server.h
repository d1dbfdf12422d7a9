#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "host/http/router.h"

namespace jobhost::http {

/// What one client may cost.
struct ServerLimits {
    int readers = 1;                // threads that read and write; none of them waits for anything
    int answerers = 4;              // threads that answer; a slow answer holds one
    std::size_t connections = 256;  // at the same time; more are closed at once
    std::size_t header_bytes = 16 * 1024;          // more: status 431
    std::size_t bodies_bytes = 256 * 1024 * 1024;  // of all clients together; more: status 503
    std::chrono::milliseconds patience{10'000};  // for a whole request, a whole answer, or the next
                                                 // request on a connection
};

/// Answers HTTP/1.1 on one address, on threads of its own. Slow or silent clients hold a connection
/// for as long as `patience`, never a thread. How long a body may be is the route's business: a
/// longer one is status 413, and nobody may send one to a route that does not let them in.
class Server {
public:
    /// `router` outlives the server. Throws std::runtime_error, one sentence, when it cannot
    /// listen.
    Server(const std::string& address, int port, const Router& router, ServerLimits limits = {});

    /// Ends all connections. A handler that runs is waited for.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// The one that was asked for, or the free one that was found for 0.
    int port() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace jobhost::http
