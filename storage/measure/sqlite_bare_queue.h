#pragma once

#include <memory>
#include <string>

#include "storage/measure/bare_queue.h"

namespace jobhost::sqlite {

std::unique_ptr<BareQueue> open_bare_queue(const std::string& path, bool synchronous_full);

}  // namespace jobhost::sqlite
