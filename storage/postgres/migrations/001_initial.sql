-- Times are microseconds since the epoch, UTC. lane = queue << 40 | priority << 32 | type.
-- The state of a job is which one of pending, running, done and dead holds it; see the tables of the
-- other engine, which are the same but for what is said here.

CREATE TABLE meta (key text PRIMARY KEY, value text NOT NULL);
CREATE SEQUENCE job_id;
-- Moves with every announcement: for who cannot listen.
CREATE SEQUENCE news;
-- 2 node id.
CREATE TABLE seq (name bigint PRIMARY KEY, next bigint NOT NULL);
INSERT INTO seq VALUES (2, 1);

-- kind: 1 queue, 2 type.
CREATE TABLE name (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind bigint NOT NULL,
                   text text NOT NULL, UNIQUE (kind, text));

CREATE TABLE node (
    id bigint PRIMARY KEY, incarnation text NOT NULL, name text NOT NULL, service text NOT NULL,
    host text NOT NULL, version text NOT NULL, pid bigint NOT NULL, state bigint NOT NULL,
    beats bigint NOT NULL, beat_interval bigint NOT NULL, beat_timeout bigint NOT NULL,
    started_at bigint NOT NULL, beat_at bigint NOT NULL, lock_file text NOT NULL,
    lock_inode bigint NOT NULL, queues text NOT NULL, plugins text NOT NULL,
    death text NOT NULL DEFAULT '') WITH (fillfactor = 50);
CREATE TABLE node_type (node bigint NOT NULL, type bigint NOT NULL, has_handler bigint NOT NULL,
                        PRIMARY KEY (node, type));
CREATE INDEX node_type_by_type ON node_type (type);

-- Written once, removed in order of age: vacuum has little to do.
CREATE TABLE job (
    id bigint PRIMARY KEY, lane bigint NOT NULL, created_at bigint NOT NULL,
    run_at bigint NOT NULL, expires_at bigint, max_attempts bigint, timeout bigint,
    idempotency_key text, traceparent text, source text NOT NULL, parent_id bigint, tags text,
    input text NOT NULL);

-- Rows come and go with every job, so dead ones are cleaned up by number, not by share.
CREATE TABLE pending (lane bigint NOT NULL, run_at bigint NOT NULL, id bigint NOT NULL,
                      attempts bigint NOT NULL, fence bigint NOT NULL,
                      PRIMARY KEY (lane, run_at, id))
    WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
          autovacuum_vacuum_cost_delay = 0);
CREATE TABLE running (
    id bigint PRIMARY KEY, lane bigint NOT NULL, run_at bigint NOT NULL, attempts bigint NOT NULL,
    max_attempts bigint NOT NULL, fence bigint NOT NULL, node bigint NOT NULL,
    claimed_at bigint NOT NULL, started_at bigint, cancel_by text, stopping text)
    WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
          autovacuum_vacuum_cost_delay = 0);
CREATE TABLE done (
    id bigint PRIMARY KEY, state bigint NOT NULL, attempts bigint NOT NULL, max_attempts bigint,
    fence bigint NOT NULL, node bigint NOT NULL, started_at bigint, finished_at bigint NOT NULL,
    reason text);
CREATE INDEX done_not_succeeded ON done (state, id) WHERE state <> 4;
CREATE TABLE dead (
    id bigint PRIMARY KEY, lane bigint NOT NULL, attempts bigint NOT NULL, max_attempts bigint,
    fence bigint NOT NULL, node bigint NOT NULL, started_at bigint, failed_at bigint NOT NULL,
    reason text NOT NULL);
CREATE INDEX dead_by_time ON dead (failed_at, id);

CREATE TABLE trail (
    id bigint PRIMARY KEY, run_at bigint NOT NULL, max_attempts bigint, first_started_at bigint,
    started_at bigint, node bigint NOT NULL, snoozes bigint NOT NULL, orphanings bigint NOT NULL);
CREATE TABLE fault (
    id bigint NOT NULL, fence bigint NOT NULL, attempt bigint NOT NULL, at bigint NOT NULL,
    type text NOT NULL, types text NOT NULL, message text NOT NULL, stack text NOT NULL,
    PRIMARY KEY (id, fence));
CREATE TABLE checkpoint (id bigint PRIMARY KEY, at bigint NOT NULL, body text NOT NULL);
CREATE TABLE progress (id bigint PRIMARY KEY, at bigint NOT NULL, percent bigint,
                       text text NOT NULL);
CREATE TABLE log (id bigint NOT NULL, line bigint NOT NULL, at bigint NOT NULL,
                  level bigint NOT NULL, text text NOT NULL, PRIMARY KEY (id, line));
CREATE TABLE tag (tag text NOT NULL, id bigint NOT NULL, PRIMARY KEY (tag, id));

CREATE TABLE idempotency (type bigint NOT NULL, key text COLLATE "C" NOT NULL, id bigint NOT NULL,
                          at bigint NOT NULL, state bigint, PRIMARY KEY (type, key));
CREATE INDEX idempotency_by_time ON idempotency (at, type, key);

CREATE TABLE deadline (expires_at bigint NOT NULL, id bigint NOT NULL,
                       PRIMARY KEY (expires_at, id));

CREATE TABLE dead_letter (
    run bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id bigint NOT NULL, fence bigint NOT NULL,
    type bigint NOT NULL, kind bigint NOT NULL, name text NOT NULL, state bigint NOT NULL,
    node bigint NOT NULL, tries bigint NOT NULL, not_before bigint NOT NULL,
    created_at bigint NOT NULL, started_at bigint, finished_at bigint,
    error text NOT NULL DEFAULT '');
CREATE INDEX dead_letter_by_job ON dead_letter (id);
CREATE INDEX dead_letter_open ON dead_letter (node, run) WHERE state < 2;

CREATE TABLE pause (kind bigint NOT NULL, name text NOT NULL, service text NOT NULL,
                    at bigint NOT NULL, by text NOT NULL, PRIMARY KEY (kind, name, service));
CREATE TABLE request (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, node bigint NOT NULL,
                      kind bigint NOT NULL, job bigint NOT NULL, fence bigint NOT NULL,
                      by text NOT NULL, at bigint NOT NULL, argument text NOT NULL DEFAULT '');
CREATE INDEX request_by_node ON request (node);
CREATE TABLE answer (request bigint PRIMARY KEY, at bigint NOT NULL, ok bigint NOT NULL,
                     body text NOT NULL);

-- An id that was not yet given when the hour was half over at the latest: see ticks.cpp.
CREATE TABLE tick (hour bigint PRIMARY KEY, first_id bigint NOT NULL);
-- Each server process counts in rows of its own (slot = its pid), so nobody waits for another one's
-- commit. Slot 0: of those that have ended.
CREATE TABLE stat (minute bigint NOT NULL, queue bigint NOT NULL, slot bigint NOT NULL,
                   enqueued bigint NOT NULL, succeeded bigint NOT NULL, failed bigint NOT NULL,
                   retried bigint NOT NULL, PRIMARY KEY (minute, queue, slot))
    WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
          autovacuum_vacuum_cost_delay = 0);
CREATE TABLE tally (type_lane bigint NOT NULL, slot bigint NOT NULL, waiting bigint NOT NULL,
                    processing bigint NOT NULL, succeeded bigint NOT NULL, failed bigint NOT NULL,
                    expired bigint NOT NULL, cancelled bigint NOT NULL,
                    PRIMARY KEY (type_lane, slot))
    WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
          autovacuum_vacuum_cost_delay = 0);
