#include "host/cli/command_line.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>

#include <CLI/CLI.hpp>

#include "host/cli/help_texts.h"
#include "host/cli/unexpected_words.h"

namespace jobhost::cli {
namespace {

/// The words of one run of the parser, filled in by CLI11; `pick` makes the command out of them.
struct Words {
    Invocation invocation = {};
    std::function<Command()> pick = {};

    RunCommand run = {};
    CheckCommand check = {};
    ExplainCommand explain = {};
    EnqueueCommand enqueue = {};
    bool bulk = false;
    JobsListCommand list = {};
    JobsShowCommand show = {};
    JobsActCommand requeue = {.act = api::Act::kRequeue};
    JobsActCommand cancel = {.act = api::Act::kCancel};
    JobsActCommand erase = {.act = api::Act::kDelete};
    WhyCommand why = {};
    PausableCommand queues = {.kind = Pause::Kind::kQueue};
    PausableCommand types = {.kind = Pause::Kind::kType};
    DeadLetterListCommand dead_letters = {};
    DeadLetterRerunCommand rerun = {};
    ReloadCommand reload = {};
    BenchCommand bench = {};
};

CLI::App* add_command(CLI::App& parent, const char* name, const char* description) {
    return parent.add_subcommand(name, description)->fallthrough();
}

/// An option that may be given several times, one value each time.
template <class Target>
void add_repeated(CLI::App& command, const char* name, Target& target, const char* description) {
    command.add_option(name, target, description)->allow_extra_args(false)->take_all();
}

/// `--type "$NAME"` with an unset variable must not mean every type.
CLI::Validator not_empty() {
    return CLI::Validator(
        [](const std::string& value) {
            return value.empty() ? "is empty: give a value, or leave the option out"
                                 : std::string();
        },
        "");
}

void add_filter(CLI::App& command, api::FilterWords& filter) {
    command
        .add_option("--state", filter.states,
                    "Only this state (may be repeated, or a list with commas): scheduled enqueued\n"
                    "processing awaiting succeeded failed expired cancelled")
        ->allow_extra_args(false)
        ->delimiter(',')
        ->type_name("STATE")
        ->check(not_empty());
    command.add_option("--queue", filter.queue, "Only this queue")
        ->type_name("NAME")
        ->check(not_empty());
    command.add_option("--type", filter.type, "Only this job type")
        ->type_name("NAME")
        ->check(not_empty());
    command
        .add_option("--group", filter.group,
                    "Only jobs whose last error belongs to this group of failures")
        ->type_name("GROUP")
        ->check(not_empty());
    command.add_option("--tag", filter.tag, "Only jobs with this tag")
        ->type_name("TAG")
        ->check(not_empty());
    command
        .add_option("--error", filter.error,
                    "Only jobs whose last error has this type, or this text in its message")
        ->type_name("TEXT")
        ->check(not_empty());
    command
        .add_option("--since", filter.since,
                    "Only jobs made at or after a time (RFC 3339), or within a duration (1h, 7d)")
        ->type_name("TIME")
        ->check(not_empty());
}

void add_page(CLI::App& command, int& limit, std::string& after) {
    command.add_option("--limit", limit, "At most this many, 1 to 1000")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str()
        ->type_name("N");
    command
        .add_option("--after", after,
                    "Go on from here: what `next` said at the end of the last page")
        ->type_name("PLACE");
}

void add_wait(CLI::App& command, std::string& wait) {
    command.add_option("--wait", wait, "How long to wait for a node's answer")
        ->capture_default_str()
        ->type_name("DURATION");
}

void add_reload(CLI::App& app, Words& words) {
    CLI::App* reload = add_command(
        app, "reload", "Have running nodes read their configuration again; says what changed");
    CLI::Option* node = reload->add_option("--node", words.reload.node, "Only this live node")
                            ->type_name("ID|NAME");
    reload
        ->add_option("--service", words.reload.service,
                     "The nodes of this service (default: of the configuration's)")
        ->type_name("NAME")
        ->excludes(node)
        ->check(not_empty());
    node->check(not_empty());
    add_wait(*reload, words.reload.wait);
    reload->footer(kReloadFooter);
    reload->callback([&words] { words.pick = [&words] { return words.reload; }; });
}

void add_host_commands(CLI::App& app, Words& words) {
    CLI::App* run = add_command(app, "run", "Work: run jobs until SIGTERM or SIGINT");
    run->add_flag(
        "--until-empty", words.run.until_empty,
        "End with status 0 when nothing of the own types and queues is due, running here\n"
        "or owed a dead-letter run; says what is left for later");
    run->footer(kRunFooter);
    run->callback([&words] { words.pick = [&words] { return words.run; }; });

    CLI::App* check = add_command(app, "check", "Check the configuration and the plugins");
    check->add_flag("--strict", words.check.strict, "Warnings count as problems");
    check->footer(
        "\nPrints every problem and ends with status 2 when there is one. Touches no store.");
    check->callback([&words] { words.pick = [&words] { return words.check; }; });

    CLI::App* explain =
        add_command(app, "explain",
                    "Show the policy of a job type, where its values come from, and its retries");
    explain->add_option("TYPE", words.explain.type, "Job type")->required();
    explain
        ->add_option("--queue", words.explain.queue,
                     "As seen from this queue (default: `default`, or the first one)")
        ->type_name("NAME");
    explain
        ->add_option("--node", words.explain.node,
                     "As in force on this live node, instead of what the file says")
        ->type_name("ID|NAME")
        ->check(not_empty());
    add_wait(*explain, words.explain.wait);
    explain->callback([&words] { words.pick = [&words] { return words.explain; }; });
}

/// Options that have a name in JSON, too: collected under that name.
void add_new_job_options(CLI::App& command, NamedOptions& options) {
    const auto add = [&](const char* flag, const char* name, const char* value,
                         const char* description) {
        command
            .add_option_function<std::string>(
                flag,
                [&options, name](const std::string& words) { options.emplace_back(name, words); },
                description)
            ->type_name(value);
    };
    add("--queue", "queue", "NAME", "Queue (default: default)");
    add("--priority", "priority", "WORD", "critical, high, normal or low (default: normal)");
    add("--max-attempts", "max_attempts", "N",
        "At most this many runs, at least 1 (default: the type's policy, else 10)");
    add("--delay", "delay", "DURATION", "Start after this time at the earliest (default: now)");
    add("--run-at", "run_at", "TIME", "Start at this time at the earliest; excludes --delay");
    add("--deadline", "deadline", "DURATION|TIME",
        "Must have started within this time from its run_at, or by this time; else it expires\n"
        "and never runs (default: none)");
    add("--timeout", "timeout", "DURATION",
        "Time limit of one run; 0 = none (default: the type's policy, else none)");
    add("--idempotency-key", "idempotency_key", "KEY",
        "Names this job within its type: the same key again answers the job that has it");
    add("--on-duplicate", "on_duplicate", "RULE",
        "What a key of an ended job does: allow_after_failed (a new job unless that one\n"
        "succeeded), reject_if_failed, reject_always (default: allow_after_failed)");
    add("--traceparent", "traceparent", "TEXT", "W3C trace context, handed to the job");
}

void add_enqueue(CLI::App& app, Words& words) {
    CLI::App* enqueue =
        add_command(app, "enqueue", "Store a job, or with --bulk many; prints the id");
    CLI::Option* type = enqueue->add_option("TYPE", words.enqueue.type, "Job type");
    enqueue
        ->add_option("--input", words.enqueue.input,
                     "Input as JSON text, @FILE to read it from a file, - from standard input\n"
                     "(default: null); kept byte for byte")
        ->type_name("JSON|@FILE|-");
    add_new_job_options(*enqueue, words.enqueue.options);
    add_repeated(*enqueue, "--tag", words.enqueue.tags, "A tag (may be repeated)");
    enqueue->get_option("--tag")->type_name("TAG");
    enqueue->add_flag(
        "--bulk", words.bulk,
        "Read jobs from standard input, one JSON object a line; excludes all of the above");
    enqueue->footer(kEnqueueFooter);
    enqueue->callback([&words, type] {
        // By hand: CLI11's excludes() would say so behind each option of the help.
        const EnqueueCommand& one = words.enqueue;
        const bool has_more =
            type->count() > 0 || one.input || !one.options.empty() || !one.tags.empty();
        if (words.bulk && has_more) {
            throw CLI::ValidationError("--bulk",
                                       "takes no type and no options of a job: they stand "
                                       "in the lines");
        }
        if (!words.bulk && type->count() == 0) throw CLI::RequiredError("TYPE (or --bulk)");
        words.pick = [&words]() -> Command {
            if (words.bulk) return BulkEnqueueCommand{};
            return words.enqueue;
        };
    });
}

void add_act(CLI::App& jobs, Words& words, JobsActCommand& command, const char* name,
             const char* description, const char* footer) {
    CLI::App* act = add_command(jobs, name, description);
    act->add_option("ID", command.ids, "Job ids");
    add_filter(*act, command.filter);
    act->add_flag("--dry-run", command.dry_run, "Only say which jobs it would be");
    if (command.act == api::Act::kRequeue) {
        act->add_flag("--fresh", command.fresh, "Drop the checkpoint, so that it begins anew");
    }
    act->footer(footer);
    act->callback([&words, &command] { words.pick = [&command] { return command; }; });
}

void add_jobs(CLI::App& app, Words& words) {
    CLI::App* jobs = add_command(app, "jobs", "List, show, requeue, cancel and delete jobs");
    jobs->require_subcommand(1);

    CLI::App* list = add_command(*jobs, "list", "List jobs, newest first");
    add_filter(*list, words.list.filter);
    add_page(*list, words.list.limit, words.list.after);
    list->callback([&words] { words.pick = [&words] { return words.list; }; });

    CLI::App* show = add_command(*jobs, "show", "Show everything about one job");
    show->add_option("ID", words.show.id, "Job id")->required();
    show->callback([&words] { words.pick = [&words] { return words.show; }; });

    add_act(
        *jobs, words, words.requeue, "requeue", "Run ended jobs again, from attempt 1",
        "\nBy filter it takes failed, expired and cancelled jobs, others only when --state names "
        "them.");
    add_act(*jobs, words, words.cancel, "cancel",
            "Cancel jobs: at once when they do not run, else by asking them to stop",
            "\nBy filter it takes all that have not ended.");
    add_act(*jobs, words, words.erase, "delete", "Delete jobs and all that hangs on them",
            "\nBy filter it takes ended jobs, others only when --state names them.");

    CLI::App* why = add_command(app, "why", "Say in one sentence why a job is not running");
    why->add_option("ID", words.why.id, "Job id")->required();
    why->callback([&words] { words.pick = [&words] { return words.why; }; });
}

void add_pausable(CLI::App& app, Words& words, PausableCommand& command, const char* name,
                  const char* description) {
    using Act = PausableCommand::Act;
    CLI::App* group = add_command(app, name, description);
    group->require_subcommand(0, 1);
    group->callback([&words, &command] {
        if (!words.pick) words.pick = [&command] { return command; };
    });
    const auto add = [&](const char* verb, Act act, const char* what) {
        CLI::App* action = add_command(*group, verb, what);
        action->add_option("NAME", command.name, "Which one")->required();
        action->add_option("--service", command.service, "Only for this service (default: all)")
            ->type_name("NAME");
        action->callback([&words, &command, act] {
            command.act = act;
            words.pick = [&command] { return command; };
        });
    };
    add("pause", Act::kPause, "No node claims from it any more; what runs goes on");
    add("resume", Act::kResume, "Nodes claim from it again");
}

void add_store_commands(CLI::App& app, Words& words) {
    add_pausable(app, words, words.queues, "queues", "List queues; pause or resume one");
    add_pausable(app, words, words.types, "types", "List job types; pause or resume one");
    add_command(app, "nodes", "List nodes: live, dead and stopped ones")->callback([&words] {
        words.pick = [] { return NodesCommand{}; };
    });
    add_command(app, "stats", "Jobs by state, and what happened in the last hour")
        ->callback([&words] { words.pick = [] { return StatsCommand{}; }; });

    CLI::App* dead = add_command(app, "deadletter", "Runs that failed jobs owe: list, rerun");
    dead->require_subcommand(1);
    CLI::App* list = add_command(*dead, "list", "List dead-letter runs, newest first");
    list->add_option("--job", words.dead_letters.job, "Only of this job")->type_name("ID");
    list->add_option("--state", words.dead_letters.state,
                     "Only this state: owed started succeeded failed not_applicable interrupted\n"
                     "timed_out")
        ->type_name("STATE");
    add_page(*list, words.dead_letters.limit, words.dead_letters.after);
    list->callback([&words] { words.pick = [&words] { return words.dead_letters; }; });

    CLI::App* rerun = add_command(*dead, "rerun", "Do an ended dead-letter run once more");
    rerun->add_option("ID", words.rerun.id, "Its id, as `deadletter list` shows it")->required();
    rerun->add_flag("--force", words.rerun.force, "Also when the job is not failed any more");
    rerun->footer(kRerunFooter);
    rerun->callback([&words] { words.pick = [&words] { return words.rerun; }; });

    add_reload(app, words);
    add_command(app, "purge", "Delete what `retention` says now, instead of bit by bit")
        ->callback([&words] { words.pick = [] { return PurgeCommand{}; }; });
    add_command(app, "migrate", "Bring the store to this version's schema")->callback([&words] {
        words.pick = [] { return MigrateCommand{}; };
    });
    add_command(app, "version", "Print the version")->callback([&words] {
        words.pick = [] { return VersionCommand{}; };
    });
}

void add_bench(CLI::App& app, Words& words) {
    CLI::App* bench =
        add_command(app, "bench", "Measure how fast this machine and this kind of store are");
    bench->add_option("--jobs", words.bench.jobs, "Jobs of each measurement of many, 1 to 10000000")
        ->check(CLI::Range(1, 10'000'000))
        ->capture_default_str()
        ->type_name("N");
    bench
        ->add_option("--samples", words.bench.samples,
                     "Jobs of each measurement of single ones, 1 to 100000; fewer when they take\n"
                     "more than 30 seconds")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str()
        ->type_name("N");
    bench
        ->add_option("--also", words.bench.also,
                     "Measure this kind of store, too: sqlite:FILE or postgresql://...")
        ->type_name("URL")
        ->check(not_empty());
    bench->footer(kBenchFooter);
    bench->callback([&words] { words.pick = [&words] { return words.bench; }; });
}

/// `jobhost jobs`, for the sentence that points at help.
std::string command_path(const CLI::App* app) {
    std::string path = app->get_name();
    for (const CLI::App* sub : app->get_subcommands()) path += ' ' + command_path(sub);
    return path;
}

/// The command that the line got to.
const CLI::App& deepest(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : deepest(*chosen.front());
}

/// What is wrong with the line, as one sentence.
std::string mistake(const CLI::App& app, const CLI::ParseError& error) {
    const std::vector<std::string> words = app.remaining(true);
    // A misspelt word is the reason why a needed one is missing, so it is named first.
    const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    const CLI::App& at = deepest(app);
    if (words.empty() || !(is_extra || is_missing)) {
        if (is_missing && !at.get_subcommands({}).empty()) return "which command?";
        return error.what();
    }
    std::set<std::string> commands;
    for (const CLI::App* sub : at.get_subcommands({})) commands.insert(sub->get_name());
    std::set<std::string> options;
    for (const CLI::App* each : {&app, &at}) {
        for (const CLI::Option* option : each->get_options()) {
            for (const std::string& name : option->get_lnames()) options.insert("--" + name);
        }
    }
    return unexpected_words(words, commands, options);
}

/// For errors of the line itself: the parser may not have got that far.
bool asks_for_json(const std::vector<std::string>& arguments) {
    return std::ranges::find(arguments, "--json") != arguments.end();
}

}  // namespace

std::variant<Invocation, NoCommand> parse_command_line(std::vector<std::string> arguments) {
    Words words;
    CLI::App app("jobhost runs background jobs that are shipped as plugins.", "jobhost");
    app.add_option("-c,--config", words.invocation.config_file, "Configuration file")
        ->type_name("FILE");
    app.add_flag("--json", words.invocation.json,
                 "Print one JSON document; lists as {\"items\": [...], \"next\": ...}");
    app.add_flag_callback(
        "--version", [&words] { words.pick = [] { return VersionCommand{}; }; },
        "As the command `version`");
    app.footer(kFooter);
    app.require_subcommand(0, 1);
    app.get_formatter()->column_width(34);

    add_host_commands(app, words);
    add_enqueue(app, words);
    add_jobs(app, words);
    add_store_commands(app, words);
    add_bench(app, words);

    const bool json = asks_for_json(arguments);
    std::ranges::reverse(arguments);  // as CLI11 wants it
    try {
        app.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
        return NoCommand{.text = app.help(), .is_help = true};
    } catch (const CLI::CallForAllHelp&) {
        return NoCommand{.text = app.help("", CLI::AppFormatMode::All), .is_help = true};
    } catch (const CLI::ParseError& error) {
        std::string sentence = mistake(app, error);
        const bool ends = sentence.ends_with('?');
        sentence += std::string(ends ? " See" : "; see") + " `" + command_path(&app) + " --help`";
        return NoCommand{.text = std::move(sentence), .json = json};
    }
    if (!words.pick) {
        return NoCommand{.text = "which command? See `jobhost --help`", .json = json};
    }
    words.invocation.command = words.pick();
    return words.invocation;
}

}  // namespace jobhost::cli
