#include "tests/torture/options.h"

#include <charconv>
#include <stdexcept>
#include <string_view>

namespace jobhost::torture {
namespace {

std::uint64_t number_of(std::string_view option, std::string_view text, std::uint64_t most) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number > most) {
        throw std::invalid_argument(std::string(option) + " wants a number up to " +
                                    std::to_string(most) + ", not " + std::string(text));
    }
    return number;
}

Engine engine_of(std::string_view text) {
    if (text == "sqlite") return Engine::kSqlite;
    if (text == "postgres") return Engine::kPostgres;
    throw std::invalid_argument("--engine wants sqlite or postgres, not " + std::string(text));
}

}  // namespace

const char* const kHelp =
    "torture [options]: hosts under faults over one store, and whether its promises hold\n"
    "\n"
    "  --engine sqlite|postgres  where the jobs are (sqlite); postgres starts a server of its own\n"
    "  --seconds N, --minutes N  how long faults come (20 s); the drain and the check come after\n"
    "  --seed N                  which faults come, and when; printed, a new one each time "
    "otherwise\n"
    "  --plan                    prints the faults of that seed and does nothing\n"
    "  --keep                    keeps the folder although all is well\n"
    "  --help                    this\n"
    "\n"
    "Exit status: 0 every promise held, 1 one did not, 2 wrong options or no run was possible.\n";

Options read_options(int argc, const char* const* argv) {
    constexpr std::uint64_t kMostSeconds = 24 * 3600;
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        const auto value = [&]() -> std::string_view {
            if (++i >= argc) throw std::invalid_argument(std::string(option) + " wants a value");
            return argv[i];
        };
        if (option == "--help") {
            options.help = true;
        } else if (option == "--plan") {
            options.only_plan = true;
        } else if (option == "--keep") {
            options.keep = true;
        } else if (option == "--seed") {
            options.seed = number_of(option, value(), UINT64_MAX);
        } else if (option == "--seconds") {
            options.length = std::chrono::seconds(number_of(option, value(), kMostSeconds));
        } else if (option == "--minutes") {
            options.length = std::chrono::minutes(number_of(option, value(), kMostSeconds / 60));
        } else if (option == "--engine") {
            options.engine = engine_of(value());
        } else {
            throw std::invalid_argument("unknown option " + std::string(option));
        }
    }
    return options;
}

}  // namespace jobhost::torture
