// The description of the API against the routes that there are.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "host/http/api.h"
#include "host/http/page_routes.h"
#include "tests/support/temp_dir.h"

namespace jobhost::http {
namespace {

using Json = nlohmann::json;

class OpenApi : public testing::Test {
protected:
    OpenApi() {
        add_api(router, {sessions, config, "node", "1"});
        add_overview_routes(router, feed);
        add_page_routes(router);
    }

    TempDir folder;
    SystemClock clock;
    config::Config config;
    std::unique_ptr<StoreHandle> store =
        open_store({.url = "sqlite://" + (folder.path() / "jobs.db").string()}, clock);
    StoreSessions sessions{*store};
    Counters counters;
    OverviewFeed feed{sessions, counters, "service", "node"};
    Router router{Guard({.token = "0123456789abcdef"})};

    Response ask(const std::string& method, const std::string& path, bool with_token = true) {
        Request request;
        request.method = method;
        request.path = path;
        request.host = "localhost";
        if (with_token) request.authorization = "Bearer 0123456789abcdef";
        return router.answer(request);
    }
    Json description() { return Json::parse(ask("GET", "/api/v1/openapi.json", false).body); }
};

TEST_F(OpenApi, DescribesEveryRouteAndNothingElse) {
    std::set<std::string> described;
    const Json document = description();
    for (const auto& [path, operations] : document["paths"].items()) {
        for (const auto& [method, operation] : operations.items()) {
            std::string upper = method;
            std::ranges::transform(upper, upper.begin(), [](unsigned char letter) {
                return static_cast<char>(std::toupper(letter));
            });
            described.insert(upper + ' ' + path);
        }
    }
    std::set<std::string> there;
    for (const std::string& route : router.routes()) {
        if (route.find(" /api/v1/") != std::string::npos) there.insert(route);
    }
    EXPECT_EQ(described, there);
    EXPECT_GT(there.size(), 25U);
}

TEST_F(OpenApi, SaysWhichRoutesAskForNoToken) {
    const Json document = description();
    for (const auto& [path, operations] : document["paths"].items()) {
        for (const auto& [method, operation] : operations.items()) {
            if (method != "get") continue;
            const bool is_open = operation.contains("security");
            std::string real = path;
            if (const auto at = real.find("{id}"); at != std::string::npos)
                real.replace(at, 4, "1");
            if (const auto at = real.find("{name}"); at != std::string::npos) {
                real.replace(at, 6, "x");
            }
            EXPECT_EQ(ask("GET", real, false).status != 401, is_open) << path;
        }
    }
}

/// Members of the answer that its schema does not have.
void expect_described(const Json& document, const Json& schema, const Json& value,
                      const std::string& place) {
    if (schema.contains("$ref")) {
        const std::string ref = schema["$ref"];
        return expect_described(document,
                                document["components"]["schemas"][ref.substr(ref.rfind('/') + 1)],
                                value, place);
    }
    if (schema.contains("anyOf")) {
        if (!value.is_null()) expect_described(document, schema["anyOf"][0], value, place);
        return;
    }
    if (value.is_array() && schema.contains("items")) {
        for (const Json& one : value)
            expect_described(document, schema["items"], one, place + "[]");
        return;
    }
    if (!value.is_object() || !schema.contains("properties")) return;
    for (const auto& [key, member] : value.items()) {
        const bool is_known = schema["properties"].contains(key);
        EXPECT_TRUE(is_known) << place << " has " << key;
        if (is_known)
            expect_described(document, schema["properties"][key], member, place + '/' + key);
    }
    for (const Json& key : schema.value("required", Json::array())) {
        EXPECT_TRUE(value.contains(key.get<std::string>())) << place << " lacks " << key;
    }
}

TEST_F(OpenApi, DescribesWhatTheRoutesAnswer) {
    const auto session = store->open_session();
    NodeRegistration node{.incarnation = std::string(32, 'a'), .name = "n", .service = "s"};
    node.types = {{.name = "t", .has_handler = true}};
    node.queues = {"default"};
    session->register_node(node);
    session->enqueue(std::vector<NewJob>{{.type = "t", .tags = {"x"}}, {.type = "other"}});
    session->cancel_job(1, "test");
    session->pause(Pause::Kind::kQueue, "default", "", "test");
    const Json document = description();

    for (const char* path :
         {"/jobs", "/jobs/count", "/jobs/1", "/jobs/1/why", "/queues", "/types", "/nodes", "/stats",
          "/failures", "/overview", "/deadletter", "/session"}) {
        const Response response = ask("GET", std::string("/api/v1") + path);
        ASSERT_EQ(response.status, 200) << path << response.body;
        std::string pattern = path;
        if (const auto at = pattern.find("/1"); at != std::string::npos) {
            pattern.replace(at, 2, "/{id}");
        }
        const Json& operation = document["paths"]["/api/v1" + pattern]["get"];
        expect_described(document,
                         operation["responses"]["200"]["content"]["application/json"]["schema"],
                         Json::parse(response.body), path);
    }
}

TEST_F(OpenApi, ThePagesAreInTheBinaryUnderAStrictPolicy) {
    for (const char* path : {"/", "/assets/app.js", "/assets/style.css", "/assets/icon.svg"}) {
        const Response response = ask("GET", path, false);
        EXPECT_EQ(response.status, 200) << path;
        const auto policy = std::ranges::find_if(response.headers, [](const auto& header) {
            return header.first == "Content-Security-Policy";
        });
        ASSERT_NE(policy, response.headers.end()) << path;
        EXPECT_THAT(policy->second, testing::HasSubstr("default-src 'none'; script-src 'self'"));
        EXPECT_THAT(policy->second, testing::Not(testing::HasSubstr("unsafe")));
    }
    EXPECT_EQ(ask("GET", "/assets/../app.js", false).status, 404);
    EXPECT_EQ(ask("GET", "/assets/nothing.js", false).status, 404);
}

}  // namespace
}  // namespace jobhost::http
