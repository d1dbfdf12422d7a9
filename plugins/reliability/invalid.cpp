#include "plugins/reliability/invalid.h"

namespace reliability {

void Invalid::execute(jobhost::JobContext&) {
    throw InvalidOrder("this order can never be right");
}

}  // namespace reliability
