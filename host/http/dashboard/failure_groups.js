// Failed jobs that belong together, as a table with what can be done about them.
import { actOnMany } from "./bulk.js";
import { foreign, h } from "./dom.js";
import { ago, button, jobId, table, typeName } from "./parts.js";
import { link } from "./route.js";
import { brief, count } from "./text.js";

export function groupTable(app, groups) {
    const now = app.live.now();
    const requeue = async (g) => {
        const isDone = await actOnMany("requeue", { filter: { states: ["failed"], group: g.group } },
            h("span", {}, "failed jobs of type ", foreign(g.type), " with the error ", foreign(brief(g.error, 80))));
        if (isDone) app.reload();
    };
    return table({
        caption: "Failures, grouped by type, error and place", rows: groups, key: (g) => g.group, empty: "Nothing failed.",
        columns: [
            { title: "Jobs", kind: "number", cell: (g) => h("a", { href: groupLink(g), class: "bad-text big" }, count(g.count)) },
            { title: "What", kind: "wide", head: true, cell: (g) => [
                h("div", {}, h("a", { href: groupLink(g), class: "name" }, foreign(brief(g.error, 100))), " in ", typeName(g.type)),
                h("div", { class: "message" }, foreign(brief(g.message, 240))),
                g.frame ? h("div", { class: "frame" }, "at ", foreign(brief(g.frame, 160))) : null] },
            { title: "First", kind: "when", cell: (g) => ago(g.first_at, now) },
            { title: "Last", kind: "when", cell: (g) => ago(g.last_at, now) },
            { title: "Newest", kind: "number", cell: (g) => jobId(g.newest_job) },
            { title: "Do", kind: "do", cell: (g) => button("Requeue these\u2026", () => requeue(g),
                { "aria-label": `Requeue the ${count(g.count)} jobs of ${g.type} with ${g.error}` }) },
        ] });
}

const groupLink = (g) => link("jobs", { state: "failed", group: g.group });
