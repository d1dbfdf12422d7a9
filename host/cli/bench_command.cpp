#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include "config/storage_reader.h"
#include "host/bench/benchmark.h"
#include "host/cli/commands.h"
#include "host/cli/exit_status.h"
#include "host/cli/store_access.h"
#include "host/cli/text_table.h"
#include "host/settings_from_config.h"
#include "host/signals.h"
#include "host/text/json_writer.h"
#include "host/version.h"

namespace jobhost::cli {
namespace {

/// A store whose kind is measured.
struct Subject {
    std::string url = {};  // as shown to people
    StoreOptions options = {};
    bench::StoreFigures figures = {};
    bool is_sqlite() const { return options.url.starts_with("sqlite:"); }
};

/// Another store, with the configured one's other options.
config::Config with_url(config::Config config, const std::string& url) {
    config.storage.url = url;
    config.storage.path.clear();
    if (url.starts_with("postgresql://") || url.starts_with("postgres://")) return config;
    auto path = config::sqlite_path(url, std::filesystem::current_path());
    if (!path) throw CommandError(kUsage, "--also " + path.error());
    config.storage.path = *std::move(path);
    config.storage.url = "sqlite://" + config.storage.path;
    return config;
}

Subject subject_of(const config::Config& config) {
    return {.url = config::shown_url(config.storage), .options = store_options(config)};
}

void show_progress(const Subject& subject, const std::string& what) {
    if (::isatty(STDERR_FILENO) == 0) return;
    std::fprintf(stderr, "%s: %s ...\n", subject.is_sqlite() ? "SQLite" : "PostgreSQL",
                 what.c_str());
}

std::string fixed(double value, int decimals) {
    char text[64] = {};
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

std::string value_text(const bench::Row& row, double value) {
    return fixed(value, row.less_is_better && value < 100 ? 1 : 0);
}

void write_json(const std::vector<Subject>& subjects, const BenchCommand& command, int workers,
                Context& context) {
    JsonWriter json;
    json.begin_object()
        .field("version", kVersion)
        .field("jobs", command.jobs)
        .field("samples", command.samples)
        .field("workers", workers)
        .field("input_bytes", static_cast<std::int64_t>(bench::usual_input().size()))
        .key("stores")
        .begin_array();
    for (const Subject& subject : subjects) {
        json.begin_object()
            .field("url", subject.url)
            .field("engine", subject.figures.store)
            .key("results")
            .begin_array();
        for (const bench::Row& row : subject.figures.rows) {
            json.begin_object()
                .field("name", row.name)
                .field("unit", row.unit)
                .field("value", row.value)
                .field("bare", row.bare)
                .field("ratio", row.ratio())
                .end_object();
        }
        json.end_array().end_object();
    }
    json.end_array().end_object();
    context.out.document(json.text());
}

void write_table(const std::vector<Subject>& subjects, Context& context) {
    using Align = TextTable::Align;
    std::vector<TextTable::Column> columns = {{"what", Align::kLeft}, {"unit", Align::kLeft}};
    for (const Subject& subject : subjects) {
        columns.push_back({subject.is_sqlite() ? "sqlite" : "postgresql", Align::kRight});
        columns.push_back({"bare", Align::kRight});
        columns.push_back({"ratio", Align::kRight});
    }
    TextTable table(std::move(columns));
    for (std::size_t i = 0; i < subjects.front().figures.rows.size(); ++i) {
        const bench::Row& first = subjects.front().figures.rows[i];
        std::vector<std::string> cells = {first.title, first.unit};
        for (const Subject& subject : subjects) {
            const bench::Row& row = subject.figures.rows[i];
            cells.push_back(value_text(row, row.value));
            cells.push_back(row.bare ? value_text(row, *row.bare) : "");
            const auto ratio = row.ratio();
            cells.push_back(ratio ? fixed(*ratio, 2) : "");
        }
        table.add(std::move(cells));
    }
    for (const Subject& subject : subjects) {
        // What follows from the engine's version is for the log of a host.
        const std::string& engine = subject.figures.store;
        context.out.line("beside " + subject.url + ": " + engine.substr(0, engine.find(';')));
    }
    context.out.write("\n");
    print_table(table, "", context.out);
}

}  // namespace

int run_command(const BenchCommand& command, Context& context) {
    block_signals();
    const config::Config config = load_configured(context.config_file);
    std::vector<Subject> subjects = {subject_of(config)};
    if (!command.also.empty()) subjects.push_back(subject_of(with_url(config, command.also)));

    std::atomic<bool> stop = false;
    const Signals signals({.stop = [&](int) { stop = true; }, .reload = [] {}});
    bench::BenchmarkOptions options{.jobs = command.jobs, .samples = command.samples};
    options.stop = [&] { return stop.load(); };
    for (Subject& subject : subjects) {
        options.progress = [&](const std::string& what) { show_progress(subject, what); };
        try {
            subject.figures = bench::run_benchmark(subject.options, options);
        } catch (const bench::Interrupted&) {
            throw CommandError(kFailed, "interrupted; what was made for measuring is gone again");
        }
    }
    if (context.json) {
        write_json(subjects, command, options.workers, context);
    } else {
        write_table(subjects, context);
    }
    return kDone;
}

}  // namespace jobhost::cli
