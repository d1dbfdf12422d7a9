// One type: its policy with where each value comes from, and when a failed job is tried again.
import { get, path } from "./api.js";
import { foreign, h } from "./dom.js";
import { section, table } from "./parts.js";
import { link } from "./route.js";
import { duration, visible } from "./text.js";

const SECONDS = /(delay|timeout|retry_for)$/;

export function typePage(app, { parts, query }) {
    const name = parts[1];
    const queue = query.get("queue") ?? "";
    let policy = null;
    let refusal = null;
    let queues = [];
    return {
        title: `Type ${visible(name)}`, interval: 60000,
        async load() {
            queues = (await get("/queues", app.signal)).items.map((item) => item.name);
            try {
                policy = await get(`${path("types", name, "policy")}${queue ? `?queue=${encodeURIComponent(queue)}` : ""}`, app.signal);
                refusal = null;
            } catch (error) {
                if (error.status !== 404) throw error;
                refusal = error;
            }
        },
        view: () => [
            h("h1", {}, "Type ", foreign(name)),
            h("p", { class: "lead" }, h("a", { href: link("jobs", { type: name }) }, "Its jobs"), " \u00b7 ",
                h("a", { href: link("jobs", { type: name, state: "failed" }) }, "Its failed jobs"), " \u00b7 ",
                h("a", { href: link("types") }, "All types")),
            refusal ? h("p", { class: "notice warn" }, foreign(refusal.message)) : null,
            policy === null ? null : [
                chooser(),
                h("p", {}, policy.plugin ? ["From plugin ", foreign(policy.plugin), ". "] : null,
                    policy.has_handler ? "Has a dead-letter handler, which runs once when a job has failed for good."
                        : "Has no dead-letter handler: a job that failed for good just stays failed."),
                policy.contradiction ? h("p", { class: "notice bad" }, foreign(policy.contradiction)) : null,
                section("policy", "Policy", values(policy.policy)),
                section("timetable", "When a failed job is tried again", timetable(policy)),
            ],
        ],
    };

    function chooser() {
        const go = (event) => { location.hash = link(`types/${encodeURIComponent(name)}`, { queue: event.currentTarget.value }); };
        const all = [...new Set([policy.queue, ...queues])];
        return h("p", { "data-key": "queue" }, h("label", {}, "In queue ", h("select", { onchange: go },
            all.map((q) => h("option", { value: q, selected: q === policy.queue }, visible(q))))));
    }
}

function values(policy) {
    const { do_not_retry: never = [], on = [], ...single } = policy;
    const rows = Object.entries(single).map(([name, { value, origin }]) => ({ name, value: shown(name, value), origin }));
    for (const { value, origin } of never) rows.push({ name: "do_not_retry", value: foreign(value), origin });
    for (const { error, origin, ...rest } of on) {
        rows.push({ name: "on", value: [foreign(error), ": ", Object.entries(rest).filter(([, v]) => v !== null)
            .map(([k, v], i) => [i > 0 ? ", " : "", `${visible(k)} `, shown(k, v)])], origin });
    }
    return table({ caption: "Policy", rows, key: (row) => `${row.name} ${rows.indexOf(row)}`, empty: "No policy.",
        columns: [
            { title: "Value", head: true, cell: (row) => h("code", {}, visible(row.name)) },
            { title: "Is", cell: (row) => row.value },
            { title: "Because of", kind: "wide", cell: (row) => foreign(row.origin ?? "") },
        ] });
}

function shown(name, value) {
    if (value === null || value === undefined) return h("span", { class: "none" }, "none");
    if (typeof value === "number" && SECONDS.test(name)) return duration(value);
    if (typeof value === "object") return foreign(JSON.stringify(value));
    return foreign(value);
}

function timetable(policy) {
    const between = (low, high) => (low === high ? duration(low) : `${duration(low)} to ${duration(high)}`);
    return [
        policy.timetable.length === 0 ? h("p", {}, "A failed attempt is not tried again.") : table({
            caption: "Timetable of retries", rows: policy.timetable, key: (row) => row.attempt, empty: "",
            columns: [
                { title: "After attempt", head: true, cell: (row) => String(row.attempt) },
                { title: "Waits", cell: (row) => between(row.delay_min, row.delay_max) },
                { title: "Since the first failure", kind: "wide", cell: (row) => between(row.elapsed_min, row.elapsed_max) },
            ] }),
        policy.timetable_is_cut ? h("p", { class: "none" }, "And so on.") : null,
        policy.ended_by_retry_for ? h("p", { class: "none" }, "retry_for ends it here.") : null,
    ];
}
