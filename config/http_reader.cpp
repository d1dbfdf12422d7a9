#include "config/http_reader.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include <arpa/inet.h>

#include "config/secret.h"
#include "config/value_parsers.h"

namespace jobhost::config {
namespace {

constexpr std::size_t kShortestToken = 16;

struct Listen {
    std::string address = {};
    int port = 0;
};

bool is_ipv4(const std::string& text) {
    in_addr address = {};
    return ::inet_pton(AF_INET, text.c_str(), &address) == 1;
}

bool is_ipv6(const std::string& text) {
    in6_addr address = {};
    return ::inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

bool is_loopback(const std::string& address) {
    return address == "::1" || (is_ipv4(address) && address.starts_with("127."));
}

std::optional<int> parse_port(std::string_view text) {
    int port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return port >= 0 && port <= 65535 ? std::optional<int>(port) : std::nullopt;
}

Parsed<Listen> parse_listen(const Scalar& scalar) {
    const auto wrong = [&] {
        return tl::unexpected(
            "must be ADDRESS:PORT with a numeric address, such as "
            "127.0.0.1:8080 or [::1]:8080" +
            shown_as(scalar));
    };
    const std::size_t colon = scalar.text.rfind(':');
    if (scalar.is_null || colon == std::string::npos) return wrong();
    Listen listen;
    listen.address = scalar.text.substr(0, colon);
    const bool in_brackets = listen.address.starts_with('[') && listen.address.ends_with(']');
    if (in_brackets) listen.address = listen.address.substr(1, listen.address.size() - 2);
    if (listen.address == "localhost") listen.address = "127.0.0.1";
    const auto port = parse_port(std::string_view(scalar.text).substr(colon + 1));
    if (!port || !(in_brackets ? is_ipv6(listen.address) : is_ipv4(listen.address))) return wrong();
    listen.port = *port;
    return listen;
}

}  // namespace

void read_http(MapReader& map, HttpConfig& into) {
    Listen listen;
    std::optional<std::string> token_file;
    map.read("listen", listen, parse_listen);
    map.read("token_file", token_file, path(PathKind::kFile, map.context().base_dir()));
    map.read("behind_tls_proxy", into.behind_tls_proxy, boolean());
    into.address = listen.address;
    into.port = listen.port;
    if (token_file) {
        auto token = read_secret(*token_file);
        if (!token) return map.error("token_file", token.error());
        if (token->size() < kShortestToken) {
            return map.error("token_file",
                             "the token in " + *token_file + " must have at least 16 characters");
        }
        into.token = *std::move(token);
    }
    if (map.has("token_file") && !map.has("listen")) {
        return map.error("token_file", "means nothing without listen");
    }
    if (into.address.empty() || is_loopback(into.address)) return;
    if (!map.has("token_file") && !into.behind_tls_proxy) {
        map.error(
            "listen",
            "is reachable from other machines: set token_file, or behind_tls_proxy: true when "
            "a proxy in front asks who comes in");
    }
}

}  // namespace jobhost::config
