#include "config/storage_reader.h"

#include <gtest/gtest.h>

#include "tests/unit/config/parse.h"

namespace jobhost::config {
namespace {

using namespace std::string_view_literals;

TEST(SqliteUrl, GivesAnAbsolutePath) {
    const std::pair<const char*, const char*> cases[] = {
        {"sqlite:///var/lib/jobs.db", "/var/lib/jobs.db"},
        {"sqlite:/var/lib/jobs.db", "/var/lib/jobs.db"},
        {"sqlite:////var//lib/./x/../jobs.db", "/var/lib/jobs.db"},
        {"sqlite:jobs.db", "/etc/jobhost/jobs.db"},
        {"sqlite:./data/jobs.db", "/etc/jobhost/data/jobs.db"},
        {"sqlite://data/jobs.db", "/etc/jobhost/data/jobs.db"},
        {"sqlite:../jobs.db", "/etc/jobs.db"},
        {"sqlite:a%20b c.db", "/etc/jobhost/a%20b c.db"},
    };
    for (const auto& [url, expected] : cases) {
        const auto path = sqlite_path(url, "/etc/jobhost");
        ASSERT_TRUE(path) << url << ": " << path.error();
        EXPECT_EQ(*path, expected) << url;
    }
}

constexpr const char* kKnownUrls =
    "must begin with sqlite: or postgresql://, such as sqlite:///var/lib/jobhost/jobs.db or "
    "postgresql://jobs@db.internal/jobs";

TEST(SqliteUrl, IsRefusedWithoutBeingShown) {
    const std::pair<std::string_view, const char*> cases[] = {
        {"mysql://u:secret@h", kKnownUrls},
        {"postgresql:u:secret@h/d", kKnownUrls},
        {"jobs.db", kKnownUrls},
        {"sqlite:", "must name a file after sqlite:, not a folder"},
        {"sqlite://", "must name a file after sqlite:, not a folder"},
        {"sqlite:///", "must name a file after sqlite:, not a folder"},
        {"sqlite:data/", "must name a file after sqlite:, not a folder"},
        {"sqlite:data/..", "must name a file after sqlite:, not a folder"},
        {"sqlite::memory:", "must name a file: jobs in memory would not outlive the process"},
        {"sqlite:///x.db?mode=ro", "must not hold ? or #: there are no options in a sqlite URL"},
        {"sqlite:x\0.db"sv, "must not hold ? or #: there are no options in a sqlite URL"},
    };
    for (const auto& [url, expected] : cases) {
        const auto path = sqlite_path(url, "/etc/jobhost");
        ASSERT_FALSE(path) << url;
        EXPECT_EQ(path.error(), expected) << url;
    }
}

TEST(Storage, NeedsOneUrl) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "j.yaml:1:1: needs `storage`\n"},
        {"service: a\n", "j.yaml:1:1: needs `storage`\n"},
        {"storage:\n", "j.yaml:1:1: storage: needs `url` or `url_file`\n"},
        {"storage: { synchronous: full }\n", "j.yaml:1:1: storage: needs `url` or `url_file`\n"},
        {"storage: { url: \"sqlite:a\", url_file: b }\n",
         "j.yaml:1:39: storage.url_file: cannot stand beside url; choose one\n"},
        {"storage: { url: [a] }\n", "j.yaml:1:17: storage.url: must be one value, not a list\n"},
        {"storage: { url: }\n", "j.yaml:1:12: storage.url: must be text, but has no value\n"},
        {"storage: { url: '' }\n", "j.yaml:1:17: storage.url: must not be empty\n"},
        {"storage: { url_file: /nonexistent/url }\n",
         "j.yaml:1:22: storage.url_file: the file /nonexistent/url cannot be read: No such file or "
         "directory\n"},
        {"storage: { url: \"postgresql://h/d\", schema: Jobs }\n",
         "j.yaml:1:45: storage.schema: must be a name of at most 50 small letters, digits and _, "
         "that begins with no digit and not with pg_, not `Jobs`\n"},
    };
    for (const auto& [yaml, expected] : cases) {
        const auto config = parse(yaml);
        ASSERT_FALSE(config) << yaml;
        EXPECT_EQ(to_string(config.error()), expected) << yaml;
    }
}

TEST(Storage, IsNormalizedSoThatOneFileHasOneUrl) {
    for (const char* url :
         {"sqlite:a/../jobs.db", "sqlite:///etc/jobhost/jobs.db", "sqlite:/etc//jobhost/jobs.db"}) {
        const auto config =
            parse("storage: { url: \"" + std::string(url) + "\", synchronous: normal }\n");
        ASSERT_TRUE(config) << to_string(config.error());
        EXPECT_EQ(config->storage.path, "/etc/jobhost/jobs.db");
        EXPECT_EQ(config->storage.url, "sqlite:///etc/jobhost/jobs.db");
        EXPECT_EQ(config->storage.synchronous, StorageSynchronous::kNormal);
    }
}

TEST(Storage, TakesAPostgresUrlAsItIs) {
    const auto config = parse(
        "storage: { url: \"postgresql://u:secret@h:1/d?sslmode=require\", schema: jobs_2, "
        "listen: false }\n");
    ASSERT_TRUE(config) << to_string(config.error());
    EXPECT_EQ(config->storage.url, "postgresql://u:secret@h:1/d?sslmode=require");
    EXPECT_EQ(config->storage.path, "");
    EXPECT_EQ(config->storage.schema, "jobs_2");
    EXPECT_FALSE(config->storage.listen);
}

TEST(Storage, ShowsAUrlWithoutItsPassword) {
    const std::pair<const char*, const char*> cases[] = {
        {"sqlite:///var/jobs.db", "sqlite:///var/jobs.db"},
        {"postgresql://u:secret@h:1/d?password=secret", "postgresql://u@h:1/d"},
        {"postgresql://u:se@cr:et@h/d", "postgresql://u@h/d"},
        {"postgres://u@h:5432/d", "postgres://u@h:5432/d"},
        {"postgresql:///d?host=/run", "postgresql:///d"},
        {"postgresql://h", "postgresql://h"},
    };
    for (const auto& [url, expected] : cases) {
        StorageConfig storage;
        storage.url = url;
        EXPECT_EQ(shown_url(storage), expected);
    }
}

}  // namespace
}  // namespace jobhost::config
