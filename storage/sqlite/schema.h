#pragma once

#include "storage/migration.h"

namespace jobhost::sqlite {

class Session;

/// The version of the tables in the file; 0.0 when there are none. Throws kMisused when the file is
/// a database of somebody else.
SchemaVersion schema_version(Session& session);

/// Brings the tables forward, all steps in one transaction, under the write gate: of several
/// processes that start together one does it. Returns the version that is there now.
SchemaVersion migrate(Session& session);

}  // namespace jobhost::sqlite
