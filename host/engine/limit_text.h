#pragma once

#include <string>

#include "storage/clock.h"

namespace jobhost {

/// A time limit in a sentence: `90 s`, `0.25 s`.
std::string limit_text(Duration duration);

}  // namespace jobhost
