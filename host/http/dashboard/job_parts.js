// The parts of a job's page that are lists: errors, log, dead-letter runs.
import { foreign, h } from "./dom.js";
import { button, jobId, state, table, time, typeName } from "./parts.js";
import { brief, visible } from "./text.js";

/// Newest first, and only that one open: it is the one that decided.
export function errors(job) {
    const all = job.errors.length > 0 ? [...job.errors].reverse() : [job.last_error];
    return all.map((error, i) => {
        const key = `${error.attempt}-${error.fence}-${error.at}`;
        return h("details", { class: "error", "data-key": key, open: i === 0 },
            h("summary", {}, `Attempt ${error.attempt}: `, h("b", {}, foreign(brief(error.type, 100))), " ",
                foreign(brief(error.message, 160))),
            h("p", { class: "none" }, time(error.at), error.types?.length > 1
                ? [" \u00b7 also a ", error.types.slice(1).map((type, n) => [n > 0 ? ", " : "", foreign(type)])] : null),
            h("pre", { class: "code message", tabindex: "0" }, foreign(error.message)),
            error.stack_trace ? h("details", { class: "stack", "data-key": "stack", open: i === 0 }, h("summary", {}, "Stack trace"),
                h("pre", { class: "code", tabindex: "0" }, foreign(error.stack_trace))) : null);
    });
}

export function log(lines) {
    return h("div", { class: "code log", tabindex: "0", role: "log", "aria-label": "Log of the job" },
        lines.map((line, i) => h("div", { class: `log-line level-${String(line.level).replace(/[^a-z]/g, "")}`, "data-key": `${line.at} ${i}` },
            h("span", { class: "log-at" }, time(line.at)), " ", h("span", { class: "log-level" }, visible(line.level)), " ", foreign(line.text))));
}

export function progress(job) {
    if (!job.progress || job.state !== "processing") return null;
    const { percent, text } = job.progress;
    return h("p", { class: "progress", "data-key": "progress" },
        h("progress", { max: 100, ...(percent === null ? {} : { value: percent }), "aria-label": "Progress" }),
        " ", percent === null ? "" : `${percent} % `, foreign(text ?? ""));
}

/// A dead-letter run that may still happen by itself is not run again by hand.
const canRerun = (run) => !["owed", "started"].includes(run.state);

export function runs(list, again, isOfOneJob = false) {
    const ofJob = [{ title: "Job", kind: "number", cell: (run) => jobId(run.job_id) },
        { title: "Type", cell: (run) => typeName(run.type) }];
    return table({
        caption: "Dead-letter runs", rows: list, key: (run) => run.id, empty: "No dead-letter run.",
        columns: [
            { title: "Run", kind: "number", head: true, cell: (run) => run.id },
            ...(isOfOneJob ? [] : ofJob),
            { title: "What", cell: (run) => [visible(run.kind), " ", foreign(run.name)] },
            { title: "State", cell: (run) => state(run.state) },
            { title: "Tries", kind: "number", cell: (run) => String(run.tries) },
            { title: "Started", kind: "when", cell: (run) => time(run.started_at) },
            { title: "Finished", kind: "when", cell: (run) => time(run.finished_at) },
            { title: "Error", kind: "wide", cell: (run) => (run.error ? foreign(brief(run.error, 300)) : "") },
            { title: "Do", kind: "do", cell: (run) => (canRerun(run) ? button("Run again\u2026", () => again(run),
                { "aria-label": `Run ${run.kind} ${run.name} of job ${run.job_id} again` }) : "") },
        ] });
}
