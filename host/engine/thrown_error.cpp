#include "host/engine/thrown_error.h"

namespace jobhost {

ThrownError host_error(const char* type, std::string message) {
    ThrownError error;
    error.error.type = type;
    error.error.types = {type, "std::exception"};
    error.error.message = std::move(message);
    return error;
}

}  // namespace jobhost
