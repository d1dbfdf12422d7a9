#include "host/http/server.h"

#include <atomic>
#include <optional>
#include <pthread.h>
#include <stdexcept>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include "host/http/target.h"

namespace jobhost::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using tcp = asio::ip::tcp;
using boost::system::error_code;
using BeastRequest = beast::http::request<beast::http::string_body>;
using BeastResponse = beast::http::response<beast::http::string_body>;

/// Headers that every answer has: nothing of ours is to be framed, sniffed or kept.
void add_common_headers(BeastResponse& response) {
    response.set(beast::http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    response.set("X-Frame-Options", "DENY");
    response.set("Referrer-Policy", "no-referrer");
    response.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
}

BeastResponse as_beast(Response&& from, unsigned version, bool keep_alive, bool head) {
    BeastResponse response(beast::http::int_to_status(static_cast<unsigned>(from.status)), version);
    add_common_headers(response);
    response.set(beast::http::field::content_type, from.content_type);
    for (const auto& [name, value] : from.headers) response.set(name, value);
    response.keep_alive(keep_alive);
    const std::size_t size = from.body.size();
    if (!head) response.body() = std::move(from.body);
    response.content_length(size);
    return response;
}

}  // namespace

/// What connections share. Outlives them: each holds it.
struct Shared {
    const Router& router;
    const ServerLimits limits;
    std::atomic<std::size_t> open = 0;
};

/// One connection: reads a request, answers it, reads the next. Each step has a time limit.
class Session : public std::enable_shared_from_this<Session> {
public:
    Session(tcp::socket socket, std::shared_ptr<Shared> shared)
        : stream_(std::move(socket)), shared_(std::move(shared)) {
        ++shared_->open;
    }
    ~Session() { --shared_->open; }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void read() {
        parser_.emplace();
        parser_->header_limit(static_cast<std::uint32_t>(shared_->limits.header_bytes));
        parser_->body_limit(shared_->limits.body_bytes);
        stream_.expires_after(shared_->limits.patience);
        beast::http::async_read(stream_, buffer_, *parser_,
                                [self = shared_from_this()](const error_code& error, std::size_t) {
                                    self->on_read(error);
                                });
    }

private:
    void on_read(const error_code& failure) {
        using beast::http::error;
        if (!failure) return answer();
        if (failure == error::header_limit) return refuse(problem(431, "the header is too long"));
        if (failure == error::body_limit) {
            return refuse(problem(413, "the body is longer than " +
                                           std::to_string(shared_->limits.body_bytes) + " bytes"));
        }
        // Else the client went away, or took too long.
        const bool is_nonsense =
            failure.category() == make_error_code(error::bad_method).category() &&
            failure != error::end_of_stream && failure != error::partial_message;
        if (is_nonsense) refuse(problem(400, "this is no HTTP request: " + failure.message()));
    }

    void answer() {
        const BeastRequest& from = parser_->get();
        Request request;
        request.method = std::string(from.method_string());
        request.body = std::move(parser_->get().body());
        request.authorization = std::string(from[beast::http::field::authorization]);
        Response response = read_target({from.target().data(), from.target().size()}, request)
                                ? shared_->router.answer(request)
                                : problem(400, "the path of the request is broken");
        write(as_beast(std::move(response), from.version(), from.keep_alive(),
                       from.method() == beast::http::verb::head));
    }

    /// The rest of what the client sends is not looked at.
    void refuse(Response&& response) { write(as_beast(std::move(response), 11, false, false)); }

    void write(BeastResponse&& response) {
        response_.emplace(std::move(response));
        stream_.expires_after(shared_->limits.patience);
        beast::http::async_write(
            stream_, *response_, [self = shared_from_this()](const error_code& error, std::size_t) {
                if (error) return;
                if (!self->response_->keep_alive()) {
                    error_code ignored;
                    self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
                    return;
                }
                self->read();
            });
    }

    beast::tcp_stream stream_;
    const std::shared_ptr<Shared> shared_;
    beast::flat_buffer buffer_;
    std::optional<beast::http::request_parser<beast::http::string_body>> parser_;
    std::optional<BeastResponse> response_;
};

class Server::Impl {
public:
    Impl(const std::string& address, int port, const Router& router, ServerLimits limits)
        : shared_(new Shared{router, limits}), acceptor_(asio::make_strand(context_)) {
        listen(address, port);
        accept();
        for (int i = 0; i < limits.threads; ++i) {
            threads_.emplace_back([this] {
                ::pthread_setname_np(::pthread_self(), "http");
                context_.run();
            });
        }
    }

    ~Impl() {
        context_.stop();
        for (std::thread& thread : threads_) thread.join();
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    int port() const { return acceptor_.local_endpoint().port(); }

private:
    void listen(const std::string& address, int port) {
        try {
            const tcp::endpoint endpoint(asio::ip::make_address(address),
                                         static_cast<std::uint16_t>(port));
            acceptor_.open(endpoint.protocol());
            acceptor_.set_option(asio::socket_base::reuse_address(true));
            acceptor_.bind(endpoint);
            acceptor_.listen();
        } catch (const boost::system::system_error& error) {
            throw std::runtime_error("cannot listen on " + address + ':' + std::to_string(port) +
                                     ": " + error.code().message());
        }
    }

    void accept() {
        acceptor_.async_accept(asio::make_strand(context_),
                               [this](const error_code& error, tcp::socket socket) {
                                   on_accept(error, std::move(socket));
                               });
    }

    void on_accept(const error_code& error, tcp::socket socket) {
        if (!error && shared_->open < shared_->limits.connections) {
            std::make_shared<Session>(std::move(socket), shared_)->read();
        } else if (error) {
            // No descriptors are left, most likely: not in a tight loop.
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        accept();
    }

    const std::shared_ptr<Shared> shared_;
    asio::io_context context_;
    tcp::acceptor acceptor_;
    std::vector<std::thread> threads_;
};

Server::Server(const std::string& address, int port, const Router& router, ServerLimits limits)
    : impl_(std::make_unique<Impl>(address, port, router, limits)) {}

Server::~Server() = default;

int Server::port() const {
    return impl_->port();
}

}  // namespace jobhost::http
