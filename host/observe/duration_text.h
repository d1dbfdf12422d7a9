#pragma once

#include <string>

#include "storage/clock.h"

namespace jobhost {

/// A duration as people read it, rounded to two units at most: `850 us`, `12 ms`, `4.2 s`,
/// `5m 30s`, `3h 5m`, `2d 4h`. Negative ones get a minus sign.
std::string duration_text(Duration duration);

}  // namespace jobhost
