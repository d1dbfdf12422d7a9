#pragma once

#include "storage/sql/session.h"
#include "storage/storage.h"

namespace jobhost::sql {

/// owed -> started and started -> an end, guarded by the owner. Inside a write transaction.
WriteAnswer start_dead_letter(Session& session, NodeId node, const StartDeadLetter& start,
                              TimePoint now);
WriteAnswer finish_dead_letter(Session& session, NodeId node, const FinishDeadLetter& finish,
                               TimePoint now);

}  // namespace jobhost::sql
