// At a glance: is work flowing, what fails, what waits, what stands in the way.
import { get } from "./api.js";
import { chart, numbers, roundUp, slots } from "./chart.js";
import { foreign, h } from "./dom.js";
import { groupTable } from "./failure_groups.js";
import { queueName, section, table } from "./parts.js";
import { link, typeLink } from "./route.js";
import { count, duration, plural } from "./text.js";
import { verdict } from "./verdict.js";

const WAITING = ["scheduled", "enqueued", "awaiting"];
const TILES = [
    ["waiting", WAITING, "Waiting"], ["processing", ["processing"], "Processing"], ["failed", ["failed"], "Failed"],
    ["succeeded", ["succeeded"], "Succeeded"], ["expired", ["expired"], "Expired"], ["cancelled", ["cancelled"], "Cancelled"],
];
const GROUPS_SHOWN = 5;

export function overviewPage(app) {
    let fetched = null;
    let groups = null;
    return {
        title: "Overview", isLive: true,
        async load() {
            [fetched, groups] = await Promise.all([get("/overview", app.signal), get("/failures", app.signal)]);
        },
        view() {
            const o = app.live.overview ?? fetched;
            return [h("h1", { class: "hidden" }, "Overview"), head(o), tiles(o), warnings(o), failures(app, groups),
                charts(o, app.live.now()), queues(o)];
        },
    };
}

function head(o) {
    const { tone, text } = verdict(o);
    return h("p", { class: `verdict ${tone}`, "data-key": "verdict" }, text);
}

function tiles(o) {
    return h("ul", { class: "tiles", "data-key": "tiles" }, TILES.map(([name, states, title]) =>
        h("li", { class: `tile tile-${name}${o.jobs[name] > 0 ? "" : " zero"}` },
            h("a", { href: link("jobs", { state: states }) },
                h("span", { class: "tile-name" }, title), h("span", { class: "tile-count" }, count(o.jobs[name]))))));
}

function warnings(o) {
    if (o.warnings.length === 0) return null;
    return section("warnings", "In the way", h("ul", { class: "warnings" }, o.warnings.slice(0, 20).map((w) =>
        h("li", { class: "notice warn" }, foreign(w.text), " ",
            w.type ? h("a", { href: typeLink(w.type) }, "Look at the type") : null, " ",
            !w.type && w.queue ? h("a", { href: link("queues") }, "Look at the queues") : null,
            !w.type && !w.queue ? h("a", { href: link("nodes") }, "Look at the nodes") : null))));
}

function failures(app, groups) {
    if (groups.items.length === 0) return null;
    return section("failures", "What fails",
        groupTable(app, groups.items.slice(0, GROUPS_SHOWN)),
        h("p", {}, h("a", { href: link("failures") }, groups.items.length > GROUPS_SHOWN
            ? `All ${plural(groups.items.length, "group")} of failures` : "The page of failures")));
}

function charts(o, now) {
    const work = slots(o.minutes, now);
    const node = slots(o.latency, now);
    const done = [{ name: "succeeded", key: "succeeded", shape: "bar", tone: "good" },
        { name: "enqueued", key: "enqueued", shape: "line", tone: "plain" }];
    const bad = [{ name: "failed", key: "failed", shape: "bar", tone: "bad" },
        { name: "retried", key: "retried", shape: "line", tone: "warn" }];
    const times = [["wait p50", "wait_p50", "line", "plain"], ["wait p95", "wait_p95", "dash", "plain"],
        ["run p50", "run_p50", "line", "run"], ["run p95", "run_p95", "dash", "run"]]
        .map(([name, key, shape, tone]) => ({ name, key, shape, tone }));
    return h("div", { class: "charts", "data-key": "charts" },
        section("flow", "Jobs a minute, last hour",
            counted("done", "Done", done, work, o), counted("bad", "Failing", bad, work, o),
            numbers({ caption: "Jobs a minute", series: [...done, ...bad], columns: work, format: count })),
        section("latency", "How long jobs wait and run, this node",
            timed(times, node),
            numbers({ caption: "Seconds of waiting and running", series: times, columns: node, format: duration })));
}

function counted(id, title, series, columns, o) {
    const top = roundUp(Math.max(0, ...columns.flatMap((c) => series.map((s) => c.row?.[s.key] ?? 0))));
    const label = `${title}, last hour: ` + series.map((s) => `${count(o.last_hour[s.key])} ${s.name}`).join(", ");
    return chart({ id, title, label, series, columns, zero: 0, format: count, scale: (v) => v / top,
        marks: [[0, "0"], [0.5, count(top / 2)], [1, count(top)]] });
}

/// A scale of powers of ten: waits of milliseconds and of minutes fit into one picture.
function timed(series, columns) {
    const values = columns.flatMap((c) => series.map((s) => c.row?.[s.key] ?? 0)).filter((v) => v > 0);
    const low = values.length ? Math.floor(Math.log10(Math.min(...values))) : -3;
    const high = values.length ? Math.ceil(Math.log10(Math.max(...values)) + 0.001) : 0;
    const decades = [2, 4, 5, 10].find((n) => n >= high - low) ?? 10;
    const bottom = Math.max(low, high - decades);
    const last = columns.findLast((c) => c.row)?.row;
    return chart({ id: "times", title: "Times", series, columns, zero: null, format: duration,
        label: last ? "Newest minute: " + series.map((s) => `${s.name} ${duration(last[s.key])}`).join(", ")
            : "No job ran on this node in the last hour",
        scale: (v) => (v <= 0 ? 0 : (Math.log10(v) - bottom) / decades),
        marks: Array.from({ length: decades + 1 }, (_, i) => [i / decades, duration(10 ** (bottom + i))])
            .filter((_, i) => decades <= 5 || i % 2 === 0) });
}

function queues(o) {
    return section("queues", "Queues", table({
        caption: "Queues and what waits in them", rows: o.queues, key: (q) => q.name, empty: "No queue has had a job yet.",
        columns: [
            { title: "Queue", head: true, cell: (q) => [queueName(q.name), q.paused ? h("span", { class: "flag" }, "paused") : null] },
            { title: "Waiting", kind: "number", cell: (q) => h("a", { href: link("jobs", { state: WAITING, queue: q.name }) }, count(q.waiting)) },
            { title: "Due now", kind: "number", cell: (q) => (q.due_is_capped ? `${count(q.due)}+` : count(q.due)) },
            { title: "Oldest due", kind: "number", cell: (q) => (q.oldest_due === null ? "\u2013" : duration(q.oldest_due)) },
            { title: "Processing", kind: "number", cell: (q) => h("a", { href: link("jobs", { state: "processing", queue: q.name }) }, count(q.processing)) },
            { title: "Failed", kind: "number", cell: (q) => h("a", { href: link("jobs", { state: "failed", queue: q.name }), class: q.failed > 0 ? "bad-text" : null }, count(q.failed)) },
            { title: "Nodes", kind: "number", cell: (q) => h("span", { class: q.nodes === 0 ? "bad-text" : null }, count(q.nodes)) },
        ] }));
}

