#pragma once

#include <memory>

#include "storage/measure/bare_queue.h"

namespace jobhost::postgres {

std::unique_ptr<BareQueue> open_bare_queue(const StoreOptions& place);

}  // namespace jobhost::postgres
