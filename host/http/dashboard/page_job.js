// One job: why it is where it is, what happened, what it brought, and what can be done.
import { get, path, request } from "./api.js";
import { actOnJob, rerun } from "./actions.js";
import { foreign, h } from "./dom.js";
import { InputView } from "./input_view.js";
import { errors, log, progress, runs } from "./job_parts.js";
import { button, facts, jobId, queueName, section, state, tags, time, typeName } from "./parts.js";
import { timeline } from "./timeline.js";
import { bytes, duration } from "./text.js";
import { layOut, memberText } from "./json_text.js";

const TERMINAL = ["succeeded", "failed", "expired", "cancelled"];
const RUNNING = 3000;

export function jobPage(app, { parts }) {
    const id = parts[1];
    let job = null;
    let why = null;
    let checkpoint = null;  // as it is stored: reading it into values would lose digits
    let isGone = false;
    const input = new InputView(id, app);

    async function load() {
        try {
            const [answer, sentence] = await Promise.all([
                request("GET", path("jobs", id) + "?input=false", { signal: app.signal }).then((r) => r.text()),
                get(path("jobs", id, "why"), app.signal)]);
            job = JSON.parse(answer);
            why = sentence;
            checkpoint = memberText(answer, "checkpoint");
        } catch (error) {
            if (error.status !== 404 || job === null) throw error;
            isGone = true;
            return;
        }
        await input.start(job.input_bytes);
    }

    async function act(name) {
        if (await actOnJob(name, id)) app.reload();
    }

    async function again(run) {
        if (await rerun(run)) app.reload();
    }

    return {
        title: `Job ${id}`, load, interval: RUNNING, className: "job",
        view: () => (isGone ? h("p", { class: "notice warn" }, `Job ${id} is not in the store any more: deleted, or purged when it was old enough.`)
            : view()),
    };

    function view() {
        const isDone = TERMINAL.includes(job.state);
        return [
            h("div", { class: "title", "data-key": "title" },
                h("h1", {}, `Job ${job.id} `, state(job.state)),
                h("div", { class: "actions" },
                    isDone ? button("Requeue\u2026", () => act("requeue"), { class: "primary", "data-do": "requeue" })
                        : button("Cancel\u2026", () => act("cancel"), { "data-do": "cancel" }),
                    button("Delete\u2026", () => act("delete"), { class: "danger", "data-do": "delete" }))),
            h("p", { class: `verdict ${toneOf(job.state)}`, "data-key": "why" }, foreign(why.why)),
            progress(job),
            job.last_error ? section("errors", job.errors.length > 1 ? `Errors (${job.errors.length})` : "Error", errors(job)) : null,
            description(job),
            section("timeline", "What happened", timeline(job)),
            job.dead_letter.length > 0 ? section("dead", "Dead-letter runs", runs(job.dead_letter, again, true)) : null,
            section("input", `Input (${bytes(job.input_bytes)})`, input.view()),
            job.checkpoint !== null ? section("checkpoint", "Checkpoint", h("pre", { class: "code", tabindex: "0" }, foreign(layOut(checkpoint)))) : null,
            job.log.length > 0 ? section("log", `Log (${job.log.length} ${job.log.length === 1 ? "line" : "lines"}, newest last)`, log(job.log)) : null,
        ];
    }
}

const toneOf = (name) => ({ failed: "bad", expired: "warn", cancelled: "warn", succeeded: "good" }[name] ?? "");

function description(job) {
    return section("facts", "The job", facts([
        ["Type", typeName(job.type)],
        ["Queue", queueName(job.queue)],
        ["Priority", job.priority],
        ["Tags", job.tags.length > 0 ? tags(job.tags) : null],
        ["Attempts", job.max_attempts === null ? String(job.attempts) : `${job.attempts} of ${job.max_attempts}`],
        ["Reason", job.reason ? foreign(job.reason) : null],
        ["Made by", job.source ? madeBy(job.source) : null],
        ["Created", time(job.created_at)],
        ["Due", time(job.run_at)],
        ["Started", job.started_at ? time(job.started_at) : null],
        ["Finished", job.finished_at ? time(job.finished_at) : null],
        ["Must start by", job.expires_at ? time(job.expires_at) : null],
        ["Node", job.node ? h("a", { href: "#/nodes" }, foreign(job.node)) : null],
        ["Being stopped", job.stopping ? foreign(job.stopping) : null],
        ["Cancel asked by", job.cancel_requested_by ? foreign(job.cancel_requested_by) : null],
        ["Timeout asked for", typeof job.timeout_requested === "number" ? duration(job.timeout_requested) : null],
        ["Attempts asked for", job.max_attempts_requested === null ? null : String(job.max_attempts_requested)],
        ["Snoozed", job.snoozes > 0 ? `${job.snoozes} times` : null],
        ["Orphaned", job.orphanings > 0 ? `${job.orphanings} times` : null],
        ["Fence", String(job.fence)],
        ["Idempotency key", job.idempotency_key ? foreign(job.idempotency_key) : null],
        ["Parent", job.parent_id ? jobId(job.parent_id) : null],
        ["Trace", job.traceparent ? foreign(job.traceparent) : null],
    ]));
}

function madeBy(source) {
    const parent = /^job:([0-9]+)$/.exec(source);
    return parent ? ["job ", jobId(parent[1])] : foreign(source);
}
