// A job's life in order of time, from what the store keeps of it.
import { foreign, h } from "./dom.js";
import { time } from "./parts.js";
import { brief, duration, plural, visible } from "./text.js";

export function timeline(job) {
    const events = [{ at: job.created_at, text: ["Enqueued", job.source ? [" by ", foreign(job.source)] : ""] }];
    if (job.first_started_at) events.push({ at: job.first_started_at, text: "Started for the first time" });
    for (const error of job.errors) {
        events.push({ at: error.at, tone: "bad",
            text: [`Attempt ${error.attempt} failed: `, h("b", {}, foreign(brief(error.type, 100))), " ", foreign(brief(error.message, 160))] });
    }
    if (job.started_at && job.started_at !== job.first_started_at) {
        events.push({ at: job.started_at, text: `Attempt ${job.attempts} started` });
    }
    for (const run of job.dead_letter) {
        if (run.started_at) events.push({ at: run.started_at, text: ["Dead letter: ", visible(run.kind), " ", foreign(run.name), " started"] });
        if (run.finished_at) {
            events.push({ at: run.finished_at, tone: run.state === "succeeded" ? "good" : run.state === "not_applicable" ? "" : "bad",
                text: ["Dead letter: ", visible(run.kind), " ", foreign(run.name), ` ${visible(run.state).replace(/_/g, " ")}`] });
        }
    }
    if (job.finished_at) {
        events.push({ at: job.finished_at, tone: { succeeded: "good", failed: "bad" }[job.state] ?? "warn",
            text: [finishWord(job.state), job.reason ? [": ", foreign(job.reason)] : "", took(job)] });
    }
    if (job.state === "scheduled") {
        events.push({ at: job.run_at, tone: "later", text: job.attempts > 0 ? `Next attempt (${job.attempts + 1})` : "To run then" });
    }
    // The sort is stable: equal times keep the order in which things happen.
    events.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    return [
        h("ol", { class: "timeline" }, events.map((event, i) => h("li", { class: event.tone, "data-key": `${event.at} ${i}` },
            time(event.at), " ", h("span", {}, event.text)))),
        job.orphanings > 0 ? h("p", { class: "notice warn" },
            `Its node died ${plural(job.orphanings, "time")} while it ran. Each lost run used its attempt.`) : null,
        job.errors.length >= 50 ? h("p", { class: "none" }, "Only the newest 50 errors are kept.") : null,
    ];
}

const finishWord = (state) => ({ succeeded: "Succeeded", failed: "Failed for good", expired: "Expired",
    cancelled: "Cancelled" }[state] ?? state);

function took(job) {
    if (!job.started_at) return "";
    const seconds = (new Date(job.finished_at) - new Date(job.started_at)) / 1000;
    return seconds > 0 ? ` (the last run took ${duration(seconds)})` : "";
}
