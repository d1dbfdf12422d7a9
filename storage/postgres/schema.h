#pragma once

#include "storage/migration.h"
#include "storage/postgres/connection.h"

namespace jobhost::postgres {

/// Brings the tables forward, all steps in one transaction under a lock of the schema: of several
/// processes that start together one does it. The schema is made when it is not there and `create`.
/// Returns the version that is there now. Needs no more rights than to make the schema, or none
/// beyond those of its owner when it exists.
SchemaVersion migrate(const ConnectionOptions& options, bool create);

}  // namespace jobhost::postgres
