// A static initialiser aborts.
#include <cstdlib>

#include <jobhost/sdk.hpp>

namespace {

struct Aborts {
    Aborts() { std::abort(); }
};
const Aborts aborts;

}  // namespace

JOBHOST_PLUGIN("static_aborts", "1.0.0", plugin) {}
