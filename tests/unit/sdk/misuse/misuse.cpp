// Mistakes of plugin authors, one in each CASE. misuse.cmake compiles them and looks for the
// sentence behind `says:`. CASE 0 is right.
#include <memory>

#include <jobhost/sdk.hpp>

struct Mail {};
struct Good : jobhost::Job<> {
    void execute(jobhost::JobContext&) override {}
};
struct Other : jobhost::Job<> {
    void execute(jobhost::JobContext&) override {}
};

JOBHOST_PLUGIN("misuse", "1", plugin) {
#if CASE == 0
    plugin.job<Good>("good", [] { return std::make_unique<Good>(); });
#elif CASE == 1  // says: the class is still abstract
    struct Forgets : jobhost::Job<jobhost::RawJson> {};
    plugin.job<Forgets>("forgets");
#elif CASE == 2  // says: a job derives publicly from jobhost::Job
    struct NoJob {};
    plugin.job<NoJob>("no");
#elif CASE == 3  // says: needs a public default constructor
    struct Needs : Good {
        explicit Needs(int) {}
    };
    plugin.job<Needs>("needs");
#elif CASE == 4  // says: the factory makes another class than the one that is registered
    plugin.job<Good>("good", [] { return std::make_unique<Other>(); });
#elif CASE == 5  // says: is no mutable lambda
    plugin.job<Good>("good", [n = 0]() mutable { return n++, std::make_unique<Good>(); });
#elif CASE == 6  // says: where J is the job type that it is registered for
    struct Handler : jobhost::DeadLetterHandler<Other> {
        void handle(const jobhost::FailedJob&, const jobhost::Error&,
                    jobhost::CancellationToken) override {}
    };
    plugin.job<Good>("good").dead_letter<Handler>();
#elif CASE == 7  // says: a forwarder derives from jobhost::Forwarder
    struct NoForwarder {};
    plugin.forwarder<NoForwarder>("no");
#elif CASE == 8  // says: include <jobhost/json.hpp>
    struct Reads : jobhost::Job<Mail> {
        void execute(const Mail&, jobhost::JobContext&) override {}
    };
    plugin.job<Reads>("reads");
#elif CASE == 9  // says: it is clear who frees it
    plugin.job<Good>("good", [] { return new Good; });
#endif
}
