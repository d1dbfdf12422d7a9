#include "host/observe/counted.h"

namespace jobhost {

std::string counted(std::int64_t count, std::string_view noun) {
    return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace jobhost
