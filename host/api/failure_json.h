#pragma once

#include <string>

#include "storage/failure_group.h"

namespace jobhost::api {

/// The groups as one document.
std::string failures_json(const FailureGroups& failures);

}  // namespace jobhost::api
