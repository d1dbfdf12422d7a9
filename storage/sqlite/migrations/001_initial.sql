-- Times are integer microseconds since the epoch, UTC. lane = queue << 40 | priority << 32 | type.

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- 1 job id, 2 node id: taken from here, so never reused.
CREATE TABLE seq (name INTEGER PRIMARY KEY, next INTEGER NOT NULL);
INSERT INTO seq VALUES (1, 1), (2, 1);

-- kind: 1 queue, 2 type.
CREATE TABLE name (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, text TEXT NOT NULL,
                   UNIQUE (kind, text)) STRICT;

CREATE TABLE node (
    id INTEGER PRIMARY KEY, incarnation TEXT NOT NULL, name TEXT NOT NULL, service TEXT NOT NULL,
    host TEXT NOT NULL, version TEXT NOT NULL, pid INTEGER NOT NULL, state INTEGER NOT NULL,
    beats INTEGER NOT NULL, beat_interval INTEGER NOT NULL, beat_timeout INTEGER NOT NULL,
    started_at INTEGER NOT NULL, beat_at INTEGER NOT NULL, lock_file TEXT NOT NULL,
    lock_inode INTEGER NOT NULL, queues TEXT NOT NULL, plugins TEXT NOT NULL,
    death TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE node_type (node INTEGER NOT NULL, type INTEGER NOT NULL, has_handler INTEGER NOT NULL,
                        PRIMARY KEY (node, type)) STRICT, WITHOUT ROWID;
CREATE INDEX node_type_by_type ON node_type (type);

-- Written once at enqueue, read at the claim, deleted by the purge. Only a requeue touches it.
CREATE TABLE job (
    id INTEGER PRIMARY KEY, lane INTEGER NOT NULL, created_at INTEGER NOT NULL,
    run_at INTEGER NOT NULL, expires_at INTEGER, max_attempts INTEGER, timeout INTEGER,
    idempotency_key TEXT, traceparent TEXT, source TEXT NOT NULL, parent_id INTEGER, tags TEXT,
    input BLOB NOT NULL) STRICT;

-- The state of a job is which one of these four tables holds it.
-- A job that waits, due or not: a retry has a later run_at, so nothing ever has to be promoted. The
-- claim's index begins with queue and type, so the backlog of other services costs nothing.
CREATE TABLE pending (lane INTEGER NOT NULL, run_at INTEGER NOT NULL, id INTEGER NOT NULL,
                      attempts INTEGER NOT NULL, fence INTEGER NOT NULL,
                      PRIMARY KEY (lane, run_at, id)) STRICT, WITHOUT ROWID;
CREATE TABLE running (
    id INTEGER PRIMARY KEY, lane INTEGER NOT NULL, run_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL, max_attempts INTEGER NOT NULL, fence INTEGER NOT NULL,
    node INTEGER NOT NULL, claimed_at INTEGER NOT NULL, started_at INTEGER, cancel_by TEXT) STRICT;
-- state: 4 succeeded, 6 expired, 7 cancelled.
CREATE TABLE done (
    id INTEGER PRIMARY KEY, state INTEGER NOT NULL, attempts INTEGER NOT NULL,
    max_attempts INTEGER, fence INTEGER NOT NULL, node INTEGER NOT NULL, started_at INTEGER,
    finished_at INTEGER NOT NULL, reason TEXT) STRICT;
CREATE INDEX done_not_succeeded ON done (state, id) WHERE state <> 4;
CREATE TABLE dead (
    id INTEGER PRIMARY KEY, lane INTEGER NOT NULL, attempts INTEGER NOT NULL,
    max_attempts INTEGER, fence INTEGER NOT NULL, node INTEGER NOT NULL, started_at INTEGER,
    failed_at INTEGER NOT NULL, reason TEXT NOT NULL) STRICT;
CREATE INDEX dead_by_time ON dead (failed_at);

-- What a job carries from its earlier claims; only for jobs that came back to waiting at least once.
CREATE TABLE trail (
    id INTEGER PRIMARY KEY, run_at INTEGER NOT NULL, max_attempts INTEGER,
    first_started_at INTEGER, started_at INTEGER, node INTEGER NOT NULL, snoozes INTEGER NOT NULL,
    orphanings INTEGER NOT NULL) STRICT;

CREATE TABLE fault (
    id INTEGER NOT NULL, fence INTEGER NOT NULL, attempt INTEGER NOT NULL, at INTEGER NOT NULL,
    type TEXT NOT NULL, types TEXT NOT NULL, message TEXT NOT NULL, stack TEXT NOT NULL,
    PRIMARY KEY (id, fence)) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoint (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
CREATE TABLE progress (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, percent INTEGER,
                       text TEXT NOT NULL) STRICT;
CREATE TABLE log (id INTEGER NOT NULL, line INTEGER NOT NULL, at INTEGER NOT NULL,
                  level INTEGER NOT NULL, text TEXT NOT NULL,
                  PRIMARY KEY (id, line)) STRICT, WITHOUT ROWID;
CREATE TABLE tag (tag TEXT NOT NULL, id INTEGER NOT NULL,
                  PRIMARY KEY (tag, id)) STRICT, WITHOUT ROWID;

-- Keys outlive their jobs. state: NULL while the job's own row tells, else the state it was purged in.
CREATE TABLE idempotency (type INTEGER NOT NULL, key TEXT NOT NULL, id INTEGER NOT NULL,
                          at INTEGER NOT NULL, state INTEGER,
                          PRIMARY KEY (type, key)) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (at);

-- Jobs with a deadline, so that expiring them needs no scan.
CREATE TABLE deadline (expires_at INTEGER NOT NULL, id INTEGER NOT NULL,
                       PRIMARY KEY (expires_at, id)) STRICT, WITHOUT ROWID;

-- One run that a failed job owes. state: see DeadLetterState. node 0: waits for an owner.
CREATE TABLE dead_letter (
    run INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL, fence INTEGER NOT NULL,
    type INTEGER NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL, state INTEGER NOT NULL,
    node INTEGER NOT NULL, tries INTEGER NOT NULL, not_before INTEGER NOT NULL,
    created_at INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER,
    error TEXT NOT NULL DEFAULT '') STRICT;
CREATE INDEX dead_letter_by_job ON dead_letter (id);
CREATE INDEX dead_letter_open ON dead_letter (node, run) WHERE state < 2;

-- kind: 1 queue, 2 type. service '': every service.
CREATE TABLE pause (kind INTEGER NOT NULL, name TEXT NOT NULL, service TEXT NOT NULL,
                    at INTEGER NOT NULL, by TEXT NOT NULL,
                    PRIMARY KEY (kind, name, service)) STRICT, WITHOUT ROWID;
-- What an operator wants of a node. kind: 1 cancel a job, 2 reload.
CREATE TABLE request (id INTEGER PRIMARY KEY AUTOINCREMENT, node INTEGER NOT NULL,
                      kind INTEGER NOT NULL, job INTEGER NOT NULL, fence INTEGER NOT NULL,
                      by TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
CREATE INDEX request_by_node ON request (node);

-- First job id of each hour: bounds the purge's walk.
CREATE TABLE tick (hour INTEGER PRIMARY KEY, first_id INTEGER NOT NULL) STRICT;
CREATE TABLE stat (minute INTEGER NOT NULL, queue INTEGER NOT NULL, enqueued INTEGER NOT NULL,
                   succeeded INTEGER NOT NULL, failed INTEGER NOT NULL, retried INTEGER NOT NULL,
                   PRIMARY KEY (minute, queue)) STRICT, WITHOUT ROWID;
-- Jobs per state; type_lane = queue << 32 | type.
CREATE TABLE tally (type_lane INTEGER PRIMARY KEY, waiting INTEGER NOT NULL,
                    processing INTEGER NOT NULL, succeeded INTEGER NOT NULL,
                    failed INTEGER NOT NULL, expired INTEGER NOT NULL,
                    cancelled INTEGER NOT NULL) STRICT;
