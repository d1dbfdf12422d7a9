// For the test of the JSON Schema: what the loader says. `--keys` prints every known key; a file's
// name prints `accepted`, or what is wrong with it. Only a wrong call is a failure.

#include <cstdio>
#include <string>

#include "config/config_loader.h"

int main(int argc, char** argv) {
    using namespace jobhost::config;
    if (argc != 2) return 2;
    if (std::string(argv[1]) == "--keys") {
        for (const std::string& key : known_keys()) std::puts(key.c_str());
        return 0;
    }
    const auto config = load_config(argv[1]);
    std::fputs(config ? "accepted\n" : to_string(config.error()).c_str(), stdout);
    return 0;
}
