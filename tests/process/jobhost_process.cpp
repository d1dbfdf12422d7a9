#include "tests/process/jobhost_process.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <unistd.h>

#include <sys/wait.h>

#include "storage/postgres/connection.h"
#include "tests/support/outside_lock.h"

extern char** environ;

namespace jobhost::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kLook = 10ms;  // how often a condition in another process is looked at

struct Streams {
    fs::path in;
    fs::path out;
    fs::path err;
};

pid_t spawn(const std::vector<std::string>& arguments, const Streams& streams,
            const std::vector<std::string>& environment = {}) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, streams.in.c_str(), O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, streams.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0640);
    posix_spawn_file_actions_addopen(&actions, 2, streams.err.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0640);
    std::vector<char*> argv;
    for (const std::string& argument : arguments) {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    std::vector<char*> envp;  // the first of two values of a name counts
    for (const std::string& entry : environment) envp.push_back(const_cast<char*>(entry.c_str()));
    for (char** entry = environ; *entry != nullptr; ++entry) envp.push_back(*entry);
    envp.push_back(nullptr);
    pid_t pid = 0;
    const int code = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), envp.data());
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0) throw std::runtime_error("cannot start " + arguments[0]);
    return pid;
}

postgres::Connection connect_to(const std::string& schema) {
    return postgres::Connection({.url = PostgresServer::shared().url(), .schema = schema});
}

/// As the sqlite3 shell prints it.
std::string postgres_answer(const std::string& schema, const std::string& query) {
    const postgres::Result result = connect_to(schema).exec(query);
    std::string answer;
    for (int row = 0; row < result.rows(); ++row) {
        if (row > 0) answer += '\n';
        for (int column = 0; column < result.columns(); ++column) {
            if (column > 0) answer += '|';
            answer += result.view(row, column);
        }
    }
    return answer;
}

int exit_code_of(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string read_file(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

bool eventually(const std::function<bool()>& what, std::chrono::milliseconds at_most) {
    const auto until = Clock::now() + at_most;
    while (!what()) {
        if (Clock::now() >= until) return false;
        std::this_thread::sleep_for(kLook);
    }
    return true;
}

Site::Site(const std::string& database) {
    std::string name = (fs::temp_directory_path() / "jobhost-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder");
    folder_ = name;
    database_ = folder_ / database;
    fs::create_directories(database_.parent_path());
    if (std::getenv("JOBHOST_TEST_POSTGRES") != nullptr) {
        schema_ = std::make_unique<FreshSchema>(PostgresServer::shared());
    }
}

Site::~Site() {
    for (const auto& [pid, log] : hosts_) {
        ::kill(pid, SIGCONT);
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }
    if (is_kept_) return;
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

void Site::add_service(const std::string& service, const std::vector<std::string>& plugins,
                       const std::string& rest) {
    const std::string storage =
        "url: \"" + url() + "\"" + (schema_ ? ", schema: " + schema_->name() : "");
    const fs::path draft = folder_ / (service + ".yaml.new");
    std::ofstream yaml(draft);
    yaml << "service: " << service << "\n"
         << "storage: { " << storage << " }\n"
         << "plugins:\n  load:\n";
    for (const std::string& plugin : plugins) {
        yaml << "    - path: " << plugin << "\n      settings: { ledger: \"" << ledger().string()
             << "\", dead_letter_file: \"" << ledger().string() << "\" }\n";
    }
    yaml << rest << "\n";
    yaml.close();
    fs::rename(draft, folder_ / (service + ".yaml"));  // whoever reads sees all of it
}

Finished Site::command(const std::string& service, std::vector<std::string> arguments,
                       const std::string& input) const {
    static std::atomic<int> number = 0;
    const std::string stem = (folder_ / ("command" + std::to_string(++number))).string();
    const Streams streams{stem + ".in", stem + ".out", stem + ".err"};
    std::ofstream(streams.in, std::ios::binary) << input;
    arguments.insert(arguments.begin(),
                     {JOBHOST_BINARY, "-c", (folder_ / (service + ".yaml")).string()});
    const pid_t pid = spawn(arguments, streams);
    int status = 0;
    ::waitpid(pid, &status, 0);
    Finished finished{exit_code_of(status), read_file(streams.out), read_file(streams.err)};
    for (const fs::path& file : {streams.in, streams.out, streams.err}) fs::remove(file);
    return finished;
}

nlohmann::json Site::json(const std::string& service, std::vector<std::string> arguments,
                          const std::string& input) const {
    arguments.emplace_back("--json");
    const Finished finished = command(service, arguments, input);
    try {
        return nlohmann::json::parse(finished.out);
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error("exit " + std::to_string(finished.exit_code) + ": " +
                                 finished.out + finished.err);
    }
}

std::string Site::enqueue(const std::string& service, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "enqueue");
    return json(service, arguments).at("id").get<std::string>();
}

pid_t Site::start_command(const std::string& service, std::vector<std::string> arguments,
                          const std::vector<std::string>& environment) {
    const fs::path log = folder_ / ("host" + std::to_string(++started_) + ".log");
    arguments.insert(arguments.begin(),
                     {JOBHOST_BINARY, "-c", (folder_ / (service + ".yaml")).string()});
    const pid_t pid = spawn(arguments, {"/dev/null", "/dev/null", log}, environment);
    hosts_[pid] = log;
    return pid;
}

pid_t Site::start(const std::string& service) {
    const pid_t pid = start_command(service, {"run"});
    const fs::path log = log_file(pid);
    bool is_over = false;
    const bool is_ready = eventually([&] {
        if (read_file(log).find("ready") != std::string::npos) return true;
        is_over = ::waitpid(pid, nullptr, WNOHANG) == pid;
        return is_over;
    });
    if (is_ready && !is_over) return pid;
    if (is_over) hosts_.erase(pid);
    throw std::runtime_error("the host did not start: " + read_file(log));
}

void Site::signal(pid_t host, int signal) const {
    ::kill(host, signal);
}

std::optional<int> Site::wait(pid_t host, std::chrono::milliseconds at_most) {
    int status = 0;
    if (!eventually([&] { return ::waitpid(host, &status, WNOHANG) == host; }, at_most)) {
        return std::nullopt;
    }
    hosts_.erase(host);
    return exit_code_of(status);
}

void Site::kill(pid_t host) {
    signal(host, SIGKILL);
    ::waitpid(host, nullptr, 0);
    hosts_.erase(host);
}

std::string Site::state(const std::string& service, const std::string& id) const {
    return json(service, {"jobs", "show", id}).at("state").get<std::string>();
}

bool Site::reaches(const std::string& service, const std::string& id, const std::string& state_name,
                   std::chrono::milliseconds at_most) const {
    return eventually([&] { return state(service, id) == state_name; }, at_most);
}

bool Site::dead_letters_end(const std::string& service) const {
    return eventually([&] {
        const nlohmann::json runs = json(service, {"deadletter", "list"}).at("items");
        return std::ranges::none_of(runs, [](const nlohmann::json& run) {
            return run.at("state") == "owed" || run.at("state") == "started";
        });
    });
}

std::filesystem::path Site::log_file(pid_t host) const {
    const auto found = hosts_.find(host);
    return found == hosts_.end() ? fs::path() : found->second;
}

std::string Site::log_of(pid_t host) const {
    return read_file(log_file(host));
}

std::vector<std::string> Site::ledger_lines(const std::string& word) const {
    std::vector<std::string> lines;
    std::ifstream in(ledger());
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with(word + " ")) lines.push_back(line);
    }
    return lines;
}

std::string Site::sql(const std::string& query) const {
    if (schema_) return postgres_answer(schema_->name(), query);
    const Streams streams{"/dev/null", folder_ / "sql.out", folder_ / "sql.err"};
    // Readers wait only while somebody recovers the file.
    const pid_t pid =
        spawn({"/usr/bin/sqlite3", "-cmd", ".timeout 10000", database().string(), query}, streams);
    ::waitpid(pid, nullptr, 0);
    std::string answer = read_file(streams.out) + read_file(streams.err);
    while (answer.ends_with("\n")) answer.pop_back();
    return answer;
}

std::string Site::integrity() const {
    if (!schema_) return sql("PRAGMA integrity_check");
    const std::string strays = sql(
        "SELECT count(*) FROM (SELECT j.id FROM job j LEFT JOIN (SELECT id FROM pending UNION ALL "
        "SELECT id FROM running UNION ALL SELECT id FROM done UNION ALL SELECT id FROM dead) s "
        "ON s.id = j.id GROUP BY j.id HAVING count(s.id) <> 1) strays");
    return strays == "0" ? "ok" : strays + " jobs are not in exactly one table";
}

std::string Site::url() const {
    return schema_ ? PostgresServer::shared().url() : "sqlite://" + database().string();
}

std::string Site::place() const {
    return schema_
               ? PostgresServer::shared().url().substr(0, PostgresServer::shared().url().find('?'))
               : database().string();
}

std::shared_ptr<void> Site::block_outcomes() const {
    if (!schema_) return std::make_shared<OutsideLock>(database().string());
    auto locker = std::make_shared<postgres::Connection>(connect_to(schema_->name()));
    locker->exec(
        "BEGIN; LOCK TABLE node, pending, running, done, dead, dead_letter IN EXCLUSIVE MODE");
    return locker;
}

}  // namespace jobhost::test
