// An application that only enqueues: client_app <store url>.
#include <cstdio>
#include <exception>

#include <jobhost/client.hpp>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    try {
        jobhost::client::Settings settings;
        settings.url = argv[1];
        jobhost::client::Client jobs(settings);
        const auto job = jobs.enqueue("payments.process", R"({"id": "o-1", "amount": 5})");
        return job.id > 0 ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
