// All measurements, each over both engines, as a table on standard error while they run, and as one
// JSON document with --json on standard output. Never a part of ctest: a number depends on the
// machine and on what else it does. See README.md.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "host/text/json_writer.h"
#include "storage/postgres/connection.h"
#include "tests/bench/benchmarks.h"
#include "tests/bench/suite_types.h"
#include "tests/support/postgres_server.h"
#include "tests/support/temp_dir.h"

namespace jobhost::bench {
namespace {

struct Benchmark {
    const char* name;
    void (*measure)(Subject&);
};
constexpr Benchmark kBenchmarks[] = {
    {"main", main_figures},      {"nodes", many_nodes},          {"plugin", with_plugin},
    {"durations", durations},    {"payloads", payloads},         {"latency", latency},
    {"retries", retries},        {"dead_letters", dead_letters}, {"kill", after_kill},
    {"finished", finished_rows}, {"waiting", waiting_rows},      {"idle", idle_host},
    {"start_stop", start_stop},  {"steady", steady_load}};

constexpr const char* kUsage =
    "usage: benchmarks [--json] [--scale FACTOR] [--sqlite FOLDER | --no-sqlite]\n"
    "                  [--postgresql URL | --no-postgresql] [NAME...]\n"
    "FACTOR: of the numbers of jobs and rows (default 1). FOLDER: on the disk that is meant "
    "(default:\n"
    "a temporary one). URL: of a server (default: a throw-away one, with fsync on). NAMES "
    "(default: "
    "all):\n";

struct Arguments {
    bool json = false;
    double scale = 1;
    std::string folder = {};
    std::string url = {};
    bool sqlite = true;
    bool postgresql = true;
    std::vector<std::string> names = {};
};

[[noreturn]] void end_with_usage() {
    std::fputs(kUsage, stderr);
    for (const Benchmark& one : kBenchmarks) std::fprintf(stderr, "  %s\n", one.name);
    std::exit(2);
}

Arguments read_arguments(int argc, char** argv) {
    Arguments read;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto value = [&]() -> std::string {
            if (i + 1 >= argc) end_with_usage();
            return argv[++i];
        };
        const bool is_name = std::ranges::any_of(
            kBenchmarks, [&](const Benchmark& one) { return word == one.name; });
        if (is_name) {
            read.names.push_back(word);
        } else if (word == "--json") {
            read.json = true;
        } else if (word == "--scale") {
            read.scale = std::atof(value().c_str());
        } else if (word == "--sqlite") {
            read.folder = value();
        } else if (word == "--no-sqlite") {
            read.sqlite = false;
        } else if (word == "--postgresql") {
            read.url = value();
        } else if (word == "--no-postgresql") {
            read.postgresql = false;
        } else {
            end_with_usage();
        }
    }
    return read;
}

/// The tests' server keeps nothing through a power cut; here that would be cheating.
std::unique_ptr<PostgresServer> start_server(const std::string& folder) {
    auto server = std::make_unique<PostgresServer>(folder);
    {
        postgres::Connection admin({.url = server->url(true)});
        admin.exec("ALTER SYSTEM SET fsync = on");
        admin.exec("ALTER SYSTEM SET full_page_writes = on");
        admin.exec("ALTER SYSTEM SET shared_buffers = '128MB'");
    }
    server->stop("fast");
    server->restart();
    return server;
}

void write_json(const std::vector<Subject>& subjects) {
    JsonWriter json;
    json.begin_object().key("results").begin_array();
    for (const Subject& subject : subjects) {
        for (const auto& [benchmark, row] : subject.results()) {
            json.begin_object()
                .field("engine", subject.engine())
                .field("benchmark", benchmark)
                .field("name", row.name)
                .field("title", row.title)
                .field("unit", row.unit)
                .field("value", row.value)
                .field("bare", row.bare)
                .field("ratio", row.ratio())
                .end_object();
        }
    }
    json.end_array().end_object();
    std::printf("%s\n", json.text().c_str());
}

int measure_all(const Arguments& arguments) {
    const TempDir temporary;
    const std::string folder =
        arguments.folder.empty() ? temporary.path().string() : arguments.folder;
    std::unique_ptr<PostgresServer> server;
    std::vector<Subject> subjects;
    if (arguments.sqlite) {
        subjects.emplace_back("sqlite", StoreOptions{.url = "sqlite://" + folder + "/jobs.db"},
                              arguments.scale);
    }
    if (arguments.postgresql) {
        std::string url = arguments.url;
        if (url.empty()) {
            server = start_server(temporary.path().string() + "-pg");
            url = server->url();
        }
        subjects.emplace_back("postgresql", StoreOptions{.url = url}, arguments.scale);
    }
    for (const Benchmark& one : kBenchmarks) {
        const auto& names = arguments.names;
        if (!names.empty() && std::ranges::find(names, one.name) == names.end()) continue;
        for (Subject& subject : subjects) {
            subject.begin(one.name);
            one.measure(subject);
        }
    }
    if (arguments.json) write_json(subjects);
    return 0;
}

}  // namespace
}  // namespace jobhost::bench

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], jobhost::bench::kNodeCommand) == 0) {
        return jobhost::bench::run_node(jobhost::bench::suite_types);
    }
    try {
        return jobhost::bench::measure_all(jobhost::bench::read_arguments(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "benchmarks: %s\n", error.what());
        return 1;
    }
}
