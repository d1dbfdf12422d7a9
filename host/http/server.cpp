#include "host/http/server.h"

#include <array>
#include <atomic>
#include <limits>
#include <optional>
#include <pthread.h>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include "host/http/event_feed.h"
#include "host/http/target.h"

namespace jobhost::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using tcp = asio::ip::tcp;
using boost::system::error_code;
using BeastRequest = beast::http::request<beast::http::string_body>;
using BeastResponse = beast::http::response<beast::http::string_body>;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// Of the rest of a request that was refused.
constexpr std::size_t kMostDrained = 256 * 1024;

/// Headers that every answer has: nothing of ours is to be framed, sniffed or kept.
void add_common_headers(BeastResponse& response) {
    response.set(beast::http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    response.set("X-Frame-Options", "DENY");
    response.set("Referrer-Policy", "no-referrer");
    response.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    response.set("Cross-Origin-Resource-Policy", "same-origin");
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
    asio::thread_pool& answerers;  // asked only while the server is there
    std::atomic<std::size_t> open = 0;
    std::atomic<std::size_t> body_bytes = 0;  // that open connections may still send
};

/// Room for a body, as long as it lives.
class BodyRoom {
public:
    /// False: all clients together send too much already.
    bool take(Shared& shared, std::size_t bytes) {
        give_back();
        if (shared.body_bytes.fetch_add(bytes) + bytes > shared.limits.bodies_bytes) {
            shared.body_bytes -= bytes;
            return false;
        }
        shared_ = &shared;
        bytes_ = bytes;
        return true;
    }
    void give_back() {
        if (shared_ != nullptr) shared_->body_bytes -= bytes_;
        shared_ = nullptr;
    }

    BodyRoom() = default;
    ~BodyRoom() { give_back(); }
    BodyRoom(const BodyRoom&) = delete;
    BodyRoom& operator=(const BodyRoom&) = delete;

private:
    Shared* shared_ = nullptr;
    std::size_t bytes_ = 0;
};

/// One connection: reads a request, answers it, reads the next. Each step has a time limit.
class Session : public std::enable_shared_from_this<Session> {
public:
    Session(tcp::socket socket, std::shared_ptr<Shared> shared)
        : stream_(std::move(socket)), shared_(std::move(shared)) {
        ++shared_->open;
        error_code ignored;
        const auto peer = stream_.socket().remote_endpoint(ignored);
        if (!ignored) peer_ = peer.address().to_string();
    }
    ~Session() {
        if (feed_) feed_->leave(listener_);
        --shared_->open;
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void read() {
        parser_.emplace();
        parser_->header_limit(static_cast<std::uint32_t>(shared_->limits.header_bytes));
        parser_->body_limit(kNoLimit);  // known when the head is
        stream_.expires_after(shared_->limits.patience);
        beast::http::async_read_header(
            stream_, buffer_, *parser_,
            [self = shared_from_this()](const error_code& error, std::size_t) {
                error ? self->on_broken(error) : self->on_head();
            });
    }

private:
    void on_broken(const error_code& failure) {
        using beast::http::error;
        if (failure == error::header_limit) return refuse(problem(431, "the header is too long"));
        if (failure == error::body_limit) return refuse_body();
        // Else the client went away, or took too long.
        const bool is_nonsense =
            failure.category() == make_error_code(error::bad_method).category() &&
            failure != error::end_of_stream && failure != error::partial_message;
        if (is_nonsense) refuse(problem(400, "this is no HTTP request: " + failure.message()));
    }

    void on_head() {
        const BeastRequest& from = parser_->get();
        request_ = {};
        request_.method = std::string(from.method_string());
        request_.peer = peer_;
        request_.authorization = text_of(from, beast::http::field::authorization);
        request_.cookie = text_of(from, beast::http::field::cookie);
        request_.host = text_of(from, beast::http::field::host);
        request_.origin = text_of(from, beast::http::field::origin);
        request_.content_type = text_of(from, beast::http::field::content_type);
        request_.forwarded_host = std::string(from["X-Forwarded-Host"]);
        request_.fetch_site = std::string(from["Sec-Fetch-Site"]);
        if (!read_target({from.target().data(), from.target().size()}, request_)) {
            return refuse(problem(400, "the path of the request is broken"));
        }
        admission_ = shared_->router.admit(request_);
        if (admission_.refusal) return refuse_or_skip();
        if (parser_->is_done()) return answer();
        read_body(from);
    }

    /// A refusal before the body: the connection goes on only where there is none.
    void refuse_or_skip() {
        if (!parser_->is_done()) return refuse(*std::move(admission_.refusal));
        write(as_beast(*std::move(admission_.refusal), parser_->get().version(),
                       parser_->get().keep_alive(), is_head()));
    }

    void read_body(const BeastRequest& from) {
        const std::size_t most = admission_.options.body_bytes;
        const auto length = parser_->content_length();
        if (length && *length > most) return refuse_body();
        if (!room_.take(*shared_, length ? static_cast<std::size_t>(*length) : most)) {
            return refuse(problem(503, "too many long requests at once: try again"));
        }
        parser_->body_limit(most);
        if (beast::iequals(from[beast::http::field::expect], "100-continue")) return go_on();
        read_rest();
    }

    /// The client waits for a word before it sends its body.
    void go_on() {
        static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
        asio::async_write(stream_, asio::buffer(kGoOn),
                          [self = shared_from_this()](const error_code& error, std::size_t) {
                              if (!error) self->read_rest();
                          });
    }

    void read_rest() {
        stream_.expires_after(shared_->limits.patience);
        beast::http::async_read(stream_, buffer_, *parser_,
                                [self = shared_from_this()](const error_code& error, std::size_t) {
                                    error ? self->on_broken(error) : self->answer();
                                });
    }

    void answer() {
        stream_.expires_never();
        request_.body = std::move(parser_->get().body());
        if (admission_.options.is_instant) {
            return send(shared_->router.answer(admission_, request_));
        }
        asio::post(shared_->answerers, [self = shared_from_this()] {
            auto response = std::make_shared<Response>(
                self->shared_->router.answer(self->admission_, self->request_));
            asio::post(self->stream_.get_executor(),
                       [self, response] { self->send(std::move(*response)); });
        });
    }

    void send(Response&& response) {
        room_.give_back();
        request_.body.clear();
        if (response.events && !is_head()) return stream_events(std::move(response));
        const BeastRequest& from = parser_->get();
        write(as_beast(std::move(response), from.version(), from.keep_alive(), is_head()));
    }

    bool is_head() const { return parser_->get().method() == beast::http::verb::head; }

    void refuse_body() {
        refuse(problem(413, "the body is longer than " +
                                std::to_string(admission_.options.body_bytes) + " bytes"));
    }

    /// The rest of what the client sends is not looked at.
    void refuse(Response&& response) { write(as_beast(std::move(response), 11, false, false)); }

    void write(BeastResponse&& response) {
        response_.emplace(std::move(response));
        stream_.expires_after(shared_->limits.patience);
        beast::http::async_write(
            stream_, *response_, [self = shared_from_this()](const error_code& error, std::size_t) {
                if (error) return;
                if (self->response_->keep_alive()) return self->read();
                error_code ignored;
                self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
                self->drain(kMostDrained);
            });
    }

    /// A socket that is closed with unread bytes in it resets the connection, and the client may
    /// lose the answer: so a little of the rest is read and dropped.
    void drain(std::size_t left) {
        stream_.expires_after(shared_->limits.patience);
        stream_.async_read_some(
            asio::buffer(dropped_),
            [self = shared_from_this(), left](const error_code& error, std::size_t got) {
                if (!error && got < left) self->drain(left - got);
            });
    }

    // ---- events ---------------------------------------------------------------------------------

    void stream_events(Response&& response) {
        feed_ = std::move(response.events);
        BeastResponse head = as_beast(std::move(response), 11, false, true);
        head.erase(beast::http::field::content_length);
        std::ostringstream text;
        text << head.base();
        pending_ = std::make_shared<const std::string>(text.str());
        write_pending();
        watch_for_end();
        listener_ = feed_->listen([weak = weak_from_this()](const EventFeed::Text& event) {
            const auto self = weak.lock();
            if (!self) return;
            asio::post(self->stream_.get_executor(), [self, event] {
                self->pending_ = event;  // a slow client gets only the newest
                if (!self->writing_) self->write_pending();
            });
        });
        if (listener_ == 0) close();
    }

    void write_pending() {
        writing_ = std::exchange(pending_, nullptr);
        stream_.expires_after(shared_->limits.patience);
        asio::async_write(stream_, asio::buffer(*writing_),
                          [self = shared_from_this()](const error_code& error, std::size_t) {
                              self->writing_ = nullptr;
                              if (error) return self->close();
                              self->stream_.expires_never();
                              if (self->pending_) self->write_pending();
                          });
    }

    /// The client says nothing more; that it has gone away shows here. Keeps the session alive.
    void watch_for_end() {
        stream_.socket().async_read_some(
            asio::buffer(dropped_),
            [self = shared_from_this()](const error_code& error, std::size_t) {
                error ? self->close() : self->watch_for_end();
            });
    }

    void close() {
        error_code ignored;
        stream_.socket().close(ignored);
    }

    static std::string text_of(const BeastRequest& from, beast::http::field field) {
        return std::string(from[field]);
    }

    beast::tcp_stream stream_;
    const std::shared_ptr<Shared> shared_;
    std::string peer_ = {};
    beast::flat_buffer buffer_;
    std::optional<beast::http::request_parser<beast::http::string_body>> parser_;
    Request request_ = {};
    Admission admission_ = {};
    BodyRoom room_;
    std::optional<BeastResponse> response_;
    std::shared_ptr<EventFeed> feed_ = {};
    std::uint64_t listener_ = 0;
    EventFeed::Text pending_ = {};
    EventFeed::Text writing_ = {};
    std::array<char, 4096> dropped_ = {};
};

class Server::Impl {
public:
    Impl(const std::string& address, int port, const Router& router, ServerLimits limits)
        : answerers_(static_cast<std::size_t>(limits.answerers)),
          shared_(new Shared{router, limits, answerers_}),
          acceptor_(asio::make_strand(context_)) {
        listen(address, port);
        accept();
        for (int i = 0; i < limits.readers; ++i) {
            threads_.emplace_back([this] {
                ::pthread_setname_np(::pthread_self(), "http");
                context_.run();
            });
        }
    }

    ~Impl() {
        answerers_.stop();
        answerers_.join();
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

    asio::io_context context_;
    asio::thread_pool answerers_;  // before the context: what waits here holds connections of it
    const std::shared_ptr<Shared> shared_;
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
