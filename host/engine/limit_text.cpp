#include "host/engine/limit_text.h"

namespace jobhost {

std::string limit_text(Duration duration) {
    std::string text = std::to_string(static_cast<double>(duration.count()) / 1e6);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text + " s";
}

}  // namespace jobhost
