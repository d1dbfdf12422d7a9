#include "config/config_loader.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

#include <gtest/gtest.h>

namespace jobhost::config {
namespace {

class ConfigLoader : public ::testing::Test {
protected:
    ConfigLoader() {
        std::string name =
            (std::filesystem::temp_directory_path() / "jobhost-config-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        folder_ = std::filesystem::canonical(name);
    }
    ~ConfigLoader() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    std::filesystem::path write(const std::string& name, const std::string& text) const {
        const std::filesystem::path file = folder_ / name;
        std::ofstream(file, std::ios::binary) << text;
        return file;
    }

    std::filesystem::path folder_;
};

TEST_F(ConfigLoader, TakesRelativePathsFromTheFolderOfTheFile) {
    const auto file = write("jobhost.yaml",
                            "storage: { url: \"sqlite:data/jobs.db\" }\n"
                            "plugins: { load: [ { path: ./a.so } ], directories: [lib] }\n"
                            "log: { file: host.log }\n");

    const auto config = load_config(file);

    ASSERT_TRUE(config) << to_string(config.error());
    EXPECT_EQ(config->storage.path, folder_ / "data/jobs.db");
    EXPECT_EQ(config->plugins.load.at(0).path, folder_ / "a.so");
    EXPECT_EQ(config->plugins.directories.at(0), folder_ / "lib");
    EXPECT_EQ(config->log.file, folder_ / "host.log");
    EXPECT_EQ(config->plugins.load.at(0).where, file.string() + ":2");
}

TEST_F(ConfigLoader, MakesPathsAbsoluteWhenTheFileIsNamedRelatively) {
    const auto file = write("jobhost.yaml", "storage: { url: \"sqlite:jobs.db\" }\n");

    const auto config = load_config(std::filesystem::relative(file));

    ASSERT_TRUE(config) << to_string(config.error());
    EXPECT_EQ(config->storage.path, folder_ / "jobs.db");
}

TEST_F(ConfigLoader, ReadsTheEnvironmentOfTheProcess) {
    ASSERT_EQ(::setenv("JOBHOST_CONFIG_TEST_SERVICE", "pay", 1), 0);
    const auto file =
        write("jobhost.yaml",
              "service: ${JOBHOST_CONFIG_TEST_SERVICE}\nstorage: { url: \"sqlite:x\" }\n");

    const auto config = load_config(file);

    ::unsetenv("JOBHOST_CONFIG_TEST_SERVICE");
    ASSERT_TRUE(config) << to_string(config.error());
    EXPECT_EQ(config->service, "pay");
    EXPECT_FALSE(load_config(file)) << "the variable is not set any more";
}

TEST_F(ConfigLoader, ReadsTheUrlFromItsFile) {
    write("url", "sqlite:///srv/${X}.db\r\n");
    const auto file = write("jobhost.yaml", "storage: { url_file: url }\n");

    const auto config = load_config(file);

    ASSERT_TRUE(config) << to_string(config.error());
    EXPECT_EQ(config->storage.path, "/srv/${X}.db") << "a secret is taken literally";
}

TEST_F(ConfigLoader, ReportsABadUrlFileWithoutItsContent) {
    const auto file = write("jobhost.yaml", "storage: { url_file: url }\n");
    const std::string place = file.string() + ":1:22: storage.url_file: ";

    write("url", "mysql://u:s3cret@h/d");
    EXPECT_EQ(to_string(load_config(file).error()),
              place +
                  "must begin with sqlite: or postgresql://, such as "
                  "sqlite:///var/lib/jobhost/jobs.db or postgresql://jobs@db.internal/jobs\n");
    write("url", "\n");
    EXPECT_EQ(to_string(load_config(file).error()),
              place + "the file " + (folder_ / "url").string() + " is empty\n");
    write("url", std::string(64 * 1024 + 1, 'x'));
    EXPECT_EQ(to_string(load_config(file).error()),
              place + "the file " + (folder_ / "url").string() + " is larger than 64 KiB\n");
}

TEST_F(ConfigLoader, SaysWhyAFileCannotBeRead) {
    const auto missing = folder_ / "nope.yaml";
    EXPECT_EQ(to_string(load_config(missing).error()),
              missing.string() + ": the file cannot be read: No such file or directory\n");
    EXPECT_EQ(to_string(load_config(folder_).error()),
              folder_.string() + ": the file cannot be read: Is a directory\n");
    const auto large = write("large.yaml", std::string(1024 * 1024 + 1, '#'));
    EXPECT_EQ(to_string(load_config(large).error()),
              large.string() + ": the file is larger than 1024 KiB\n");
}

TEST_F(ConfigLoader, ReportsErrorsWithTheFileAsItWasNamed) {
    const auto file = write("jobhost.yaml", "storage: { url: \"sqlite:x\" }\r\n\r\ntimout: 5m\r\n");

    const auto config = load_config(file);

    ASSERT_FALSE(config);
    ASSERT_EQ(config.error().size(), 1u);
    EXPECT_EQ(config.error()[0],
              (ConfigError{.file = file.string(),
                           .line = 3,
                           .column = 1,
                           .message = "timout: unknown key; did you mean `timeout`?"}));
}

}  // namespace
}  // namespace jobhost::config
