#pragma once

#include <functional>

#include "host/engine/engine.h"
#include "host/http/router.h"
#include "host/http/store_sessions.h"
#include "host/observe/counters.h"

namespace jobhost::http {

/// What tells whether this node works. All outlive the router.
struct ProbeFacts {
    const Engine& engine;
    const Counters& counters;
    StoreSessions& sessions;
    std::function<bool()> is_stopping;  // thread-safe
};

/// For machines that look after the host:
///   GET /healthz   200 as long as the process answers
///   GET /readyz    200 when the store answers, this node's heartbeat is stored on time and it is
///   not
///                  stopping, else 503 with the reasons
///   GET /metrics   Prometheus' text format
void add_probe_routes(Router& router, const ProbeFacts& facts);

}  // namespace jobhost::http
