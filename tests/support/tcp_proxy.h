#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace jobhost {

/// A port of this machine that nobody uses just now.
int free_port();

/// Stands between a client and a server at 127.0.0.1, and does to their connections what a network
/// does.
class TcpProxy {
public:
    explicit TcpProxy(int server_port);
    ~TcpProxy();
    TcpProxy(const TcpProxy&) = delete;
    TcpProxy& operator=(const TcpProxy&) = delete;

    int port() const { return port_; }

    /// From now on the first connection over which the client sends this statement is cut before
    /// the answer comes back. What was sent reaches the server.
    void cut_behind(const std::string& statement);
    bool has_cut() const { return cut_.load(); }

    /// What is connected now stays so, but nothing goes through any more, in no direction.
    void freeze() { frozen_before_.store(accepted_.load()); }

private:
    void accept_all();
    void pass(int client, int server, int number);

    int port_ = 0;
    int listener_ = -1;
    const int server_port_;
    std::atomic<bool> ends_ = false;
    std::atomic<bool> cut_ = false;
    std::atomic<int> accepted_ = 0;
    std::atomic<int> frozen_before_ = 0;
    std::mutex mutex_;
    std::string statement_;             // guarded by mutex_
    std::vector<std::thread> threads_;  // of accept_all(), which ends first
    std::thread acceptor_;
};

}  // namespace jobhost
