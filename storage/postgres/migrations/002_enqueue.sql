-- Enqueueing from SQL, inside the caller's own transaction. It refuses what every other way in
-- refuses (storage/enqueue_rules.cpp): a test asks both the same questions.

-- NULL when the text is fit, else the end of a sentence that begins with what it is.
CREATE FUNCTION {schema}.enqueue_text_mistake(value text, most_bytes int) RETURNS text
    LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN octet_length(value) > most_bytes THEN 'is longer than ' || most_bytes || ' bytes'
                WHEN value ~ '[\x01-\x1f\x7f]' THEN 'contains a control character' END
$$;

CREATE FUNCTION {schema}.enqueue_name_mistake(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN coalesce(value, '') = '' THEN 'is empty'
                WHEN octet_length(value) > 128 THEN 'is longer than 128 bytes'
                WHEN value !~ '^[A-Za-z0-9_.:/-]+$' THEN
                    'contains a byte that is not allowed; letters, digits and _ . - : / are allowed' END
$$;

-- How deep arrays and objects are nested. What is inside of strings does not count.
CREATE FUNCTION {schema}.enqueue_depth(value text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    marks text;
    deepest int := 0;
    depth int := 0;
BEGIN
    marks := regexp_replace(regexp_replace(value, '"([^"\\]|\\.)*"', '', 'g'), '[^][{}]', '', 'g');
    IF length(marks) / 2 <= 256 THEN
        RETURN length(marks) / 2;  -- it cannot be deeper
    END IF;
    FOR i IN 1 .. length(marks) LOOP
        IF substr(marks, i, 1) IN ('[', '{') THEN
            depth := depth + 1;
            deepest := greatest(deepest, depth);
            EXIT WHEN deepest > 256;
        ELSE
            depth := depth - 1;
        END IF;
    END LOOP;
    RETURN deepest;
END $$;

-- Why the job can never be stored; NULL when it can.
CREATE FUNCTION {schema}.enqueue_mistake(
    type text, input text, queue text, priority text, max_attempts bigint, delay interval,
    run_at timestamptz, deadline interval, deadline_at timestamptz, timeout interval, tags text[],
    idempotency_key text, on_duplicate text, traceparent text, source text) RETURNS text
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    most_bytes bigint :=
        coalesce(nullif(current_setting('jobhost.max_input_bytes', true), ''), '1048576')::bigint;
    longest CONSTANT bigint := 36525::bigint * 86400;
    mistake text;
    one text;
BEGIN
    mistake := {schema}.enqueue_name_mistake(type);
    IF mistake IS NOT NULL THEN
        RETURN 'the type ' || coalesce(nullif(left(type, 64), '') || ' ', '') || mistake;
    END IF;
    mistake := {schema}.enqueue_name_mistake(queue);
    IF mistake IS NOT NULL THEN
        RETURN 'the queue ' || coalesce(nullif(left(queue, 64), '') || ' ', '') || mistake;
    END IF;
    IF max_attempts < 1 THEN RETURN 'max_attempts is less than 1'; END IF;
    IF max_attempts > 1000000 THEN RETURN 'max_attempts is more than 1000000'; END IF;
    IF priority IS NULL OR priority NOT IN ('critical', 'high', 'normal', 'low') THEN
        RETURN 'the priority is unknown';
    END IF;
    IF on_duplicate IS NULL
       OR on_duplicate NOT IN ('allow_after_failed', 'reject_if_failed', 'reject_always') THEN
        RETURN 'on_duplicate is unknown';
    END IF;
    IF cardinality(tags) > 64 THEN
        RETURN 'there are ' || cardinality(tags) || ' tags; the limit is 64';
    END IF;
    FOREACH one IN ARRAY coalesce(tags, '{}') LOOP
        IF coalesce(one, '') = '' THEN RETURN 'a tag is empty'; END IF;
        mistake := {schema}.enqueue_text_mistake(one, 128);
        IF mistake IS NOT NULL THEN RETURN 'the tag ' || left(one, 64) || ' ' || mistake; END IF;
    END LOOP;
    IF delay IS NOT NULL AND run_at IS NOT NULL THEN
        RETURN 'delay and run_at exclude each other';
    END IF;
    IF deadline IS NOT NULL AND deadline_at IS NOT NULL THEN
        RETURN 'there are two deadlines';
    END IF;
    IF delay < '0' THEN RETURN 'the delay is negative'; END IF;
    IF extract(epoch FROM delay) > longest THEN RETURN 'the delay is longer than 100 years'; END IF;
    IF deadline < '0' THEN RETURN 'the deadline is negative'; END IF;
    IF deadline = '0' THEN RETURN 'the deadline is zero'; END IF;
    IF extract(epoch FROM deadline) > longest THEN RETURN 'the deadline is longer than 100 years'; END IF;
    IF timeout < '0' THEN RETURN 'the timeout is negative'; END IF;
    IF extract(epoch FROM timeout) > longest THEN RETURN 'the timeout is longer than 100 years'; END IF;
    IF run_at < 'epoch' OR run_at > '9999-12-31 23:59:59Z' THEN
        RETURN 'run_at is not between the years 1970 and 9999';
    END IF;
    IF deadline_at < 'epoch' OR deadline_at > '9999-12-31 23:59:59Z' THEN
        RETURN 'the deadline is not between the years 1970 and 9999';
    END IF;
    IF deadline_at <= run_at THEN
        RETURN 'the deadline is not after run_at, so the job could never start';
    END IF;
    IF idempotency_key = '' THEN RETURN 'the idempotency key is empty'; END IF;
    mistake := {schema}.enqueue_text_mistake(idempotency_key, 512);
    IF mistake IS NOT NULL THEN RETURN 'the idempotency key ' || mistake; END IF;
    mistake := {schema}.enqueue_text_mistake(traceparent, 256);
    IF mistake IS NOT NULL THEN RETURN 'traceparent ' || mistake; END IF;
    mistake := {schema}.enqueue_text_mistake(source, 256);
    IF mistake IS NOT NULL THEN RETURN 'the source ' || mistake; END IF;
    IF octet_length(coalesce(input, '')) > most_bytes THEN
        RETURN 'the input has ' || octet_length(input) || ' bytes; the limit is ' || most_bytes;
    END IF;
    BEGIN
        PERFORM coalesce(input, '')::json;
    EXCEPTION WHEN invalid_text_representation OR statement_too_complex THEN
        RETURN 'the input is not JSON: ' || SQLERRM;
    END;
    IF {schema}.enqueue_depth(input) > 256 THEN
        RETURN 'the input is not JSON: nested deeper than 256';
    END IF;
    RETURN NULL;
END $$;

-- The state of the job that holds a key, as in `done` (2: it has not ended); NULL: nothing is known
-- of it.
CREATE FUNCTION {schema}.enqueue_holder_state(holder bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT 2::bigint FROM {schema}.running r WHERE r.id = holder),
                    (SELECT d.state FROM {schema}.done d WHERE d.id = holder),
                    (SELECT 5::bigint FROM {schema}.dead d WHERE d.id = holder),
                    (SELECT 2::bigint FROM {schema}.job j WHERE j.id = holder))
$$;

CREATE FUNCTION {schema}.enqueue_name_id(of_kind bigint, value text) RETURNS bigint
    LANGUAGE plpgsql AS $$
DECLARE
    found_id bigint;
BEGIN
    LOOP
        SELECT n.id INTO found_id FROM {schema}.name n WHERE n.kind = of_kind AND n.text = value;
        IF found_id IS NOT NULL THEN RETURN found_id; END IF;
        INSERT INTO {schema}.name (kind, text) VALUES (of_kind, value) ON CONFLICT DO NOTHING;
    END LOOP;
END $$;

-- Answers the job, whether it was there already, and what its owner should know about it.
-- Raises 22023 for what can never be a job, and 23505 when the key is held by one that has ended.
CREATE FUNCTION {schema}.enqueue(
    type text, input text DEFAULT 'null', queue text DEFAULT 'default',
    priority text DEFAULT 'normal', max_attempts bigint DEFAULT NULL, delay interval DEFAULT NULL,
    run_at timestamptz DEFAULT NULL, deadline interval DEFAULT NULL,
    deadline_at timestamptz DEFAULT NULL, timeout interval DEFAULT NULL, tags text[] DEFAULT '{}',
    idempotency_key text DEFAULT NULL, on_duplicate text DEFAULT 'allow_after_failed',
    traceparent text DEFAULT NULL, source text DEFAULT 'sql',
    OUT id bigint, OUT duplicate boolean, OUT warning text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = {schema}, pg_temp SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
    mistake text := enqueue_mistake(
        enqueue.type, enqueue.input, enqueue.queue, enqueue.priority, enqueue.max_attempts,
        enqueue.delay, enqueue.run_at, enqueue.deadline, enqueue.deadline_at, enqueue.timeout,
        enqueue.tags, enqueue.idempotency_key, enqueue.on_duplicate, enqueue.traceparent,
        enqueue.source);
    latest CONSTANT bigint := 253402300799000000;
    now_at CONSTANT bigint := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
    wait CONSTANT bigint := (extract(epoch FROM enqueue.delay) * 1000000)::bigint;
    starts_at bigint := coalesce((extract(epoch FROM enqueue.run_at) * 1000000)::bigint,
                                 now_at + wait, now_at);
    ends_at bigint;
    type_id bigint;
    queue_id bigint;
    job_lane bigint;
    job_id bigint;
    holder bigint;
    holder_state bigint;
    queues text[];
BEGIN
    IF mistake IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = mistake;
    END IF;
    ends_at := coalesce((extract(epoch FROM enqueue.deadline_at) * 1000000)::bigint,
                        starts_at + (extract(epoch FROM enqueue.deadline) * 1000000)::bigint);
    IF starts_at > latest THEN starts_at := latest; END IF;
    IF ends_at > latest THEN ends_at := latest; END IF;
    type_id := enqueue_name_id(2, enqueue.type);
    queue_id := enqueue_name_id(1, enqueue.queue);
    job_id := nextval('job_id');
    duplicate := false;

    IF enqueue.idempotency_key IS NOT NULL THEN
        LOOP
            INSERT INTO idempotency (type, key, id, at, state)
                VALUES (type_id, enqueue.idempotency_key, job_id, now_at, NULL)
                ON CONFLICT DO NOTHING;
            EXIT WHEN FOUND;
            SELECT i.id, i.state INTO holder, holder_state
                FROM idempotency i WHERE i.type = type_id AND i.key = enqueue.idempotency_key
                FOR UPDATE;
            CONTINUE WHEN NOT FOUND;
            -- A statement of its own: the one above may have waited for a new holder, whose job it
            -- does not see.
            holder_state := coalesce(holder_state, enqueue_holder_state(holder));
            IF holder_state IS NULL OR (holder_state > 4
                                        AND enqueue.on_duplicate = 'allow_after_failed') THEN
                UPDATE idempotency i SET id = job_id, at = now_at, state = NULL
                    WHERE i.type = type_id AND i.key = enqueue.idempotency_key;
                EXIT;
            END IF;
            IF holder_state < 4
               OR (holder_state = 4 AND enqueue.on_duplicate <> 'reject_always') THEN
                id := holder;
                duplicate := true;
                EXIT;
            END IF;
            RAISE EXCEPTION USING ERRCODE = '23505', MESSAGE =
                'the idempotency key is held by job ' || holder || ', which is ' ||
                (ARRAY['succeeded', 'failed', 'expired', 'cancelled'])[holder_state - 3];
        END LOOP;
    END IF;

    SELECT array_agg(n.queues) INTO queues FROM node_type t JOIN node n ON n.id = t.node
        WHERE t.type = type_id AND n.state = 0;
    IF queues IS NULL THEN
        warning := 'no live node runs the type ' || enqueue.type;
    ELSIF NOT duplicate AND NOT EXISTS (
        SELECT FROM unnest(queues) AS q(lines)
        WHERE enqueue.queue = ANY (string_to_array(q.lines, E'\n'))) THEN
        warning := 'no live node that runs the type ' || enqueue.type || ' works on the queue ' ||
                   enqueue.queue;
    END IF;
    IF duplicate THEN RETURN; END IF;

    id := job_id;
    job_lane := (queue_id << 40) | type_id
        | ((array_position(ARRAY['critical', 'high', 'normal', 'low'], enqueue.priority) - 1)::bigint
           << 32);
    -- It must survive what the caller's transaction survives: a power cut after its COMMIT.
    IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    INSERT INTO job (id, lane, created_at, run_at, expires_at, max_attempts, timeout,
                     idempotency_key, traceparent, source, tags, input)
        VALUES (job_id, job_lane, now_at, starts_at, ends_at, enqueue.max_attempts,
                (extract(epoch FROM enqueue.timeout) * 1000000)::bigint, enqueue.idempotency_key,
                enqueue.traceparent, coalesce(enqueue.source, ''),
                nullif(array_to_string(enqueue.tags, E'\n'), ''), enqueue.input);
    INSERT INTO pending (lane, run_at, id, attempts, fence)
        VALUES (job_lane, starts_at, job_id, 0, 0);
    INSERT INTO tag (tag, id) SELECT t, job_id FROM unnest(enqueue.tags) AS u(t)
        ON CONFLICT DO NOTHING;
    IF ends_at IS NOT NULL THEN
        INSERT INTO deadline (expires_at, id) VALUES (ends_at, job_id);
    END IF;
    INSERT INTO tally (type_lane, slot, waiting, processing, succeeded, failed, expired, cancelled)
        VALUES ((queue_id << 32) | type_id, pg_backend_pid(), 1, 0, 0, 0, 0, 0)
        ON CONFLICT (type_lane, slot) DO UPDATE SET waiting = tally.waiting + 1;
    INSERT INTO stat (minute, queue, slot, enqueued, succeeded, failed, retried)
        VALUES (now_at / 60000000, queue_id, pg_backend_pid(), 1, 0, 0, 0)
        ON CONFLICT (minute, queue, slot) DO UPDATE SET enqueued = stat.enqueued + 1;
    -- However many jobs a transaction makes, the server passes this on once, at its commit.
    PERFORM nextval('news');
    PERFORM pg_notify({channel}, '');
END $$;
