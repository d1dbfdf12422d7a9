// Queues and types: the same picture of two kinds of names, which can be paused and resumed.
import { get, path, post } from "./api.js";
import { confirm, say } from "./dialog.js";
import { foreign, h } from "./dom.js";
import { button, queueName, table, time, typeName } from "./parts.js";
import { link } from "./route.js";
import { count, visible } from "./text.js";

const WAITING = ["scheduled", "enqueued", "awaiting"];

export const queuesPage = (app) => namesPage(app, { title: "Queues", plural: "queues", one: "queue", name: queueName,
    lead: "Where jobs wait. A paused queue starts no job on any node; what runs already runs on." });

export const typesPage = (app) => namesPage(app, { title: "Types", plural: "types", one: "type", name: typeName,
    lead: "Kinds of jobs. A type's page says how often and when a failed one is tried again." });

function namesPage(app, kind) {
    let items = null;
    return {
        title: kind.title,
        async load() {
            ({ items } = await get(`/${kind.plural}`, app.signal));
        },
        view: () => [h("h1", {}, kind.title), h("p", { class: "lead" }, kind.lead), names(items)],
    };

    async function change(item, verb, service) {
        const isPause = verb === "pause";
        const answer = await confirm({
            title: [isPause ? "Pause" : "Resume", ` ${kind.one} `, foreign(item.name), service ? [" for service ", foreign(service)] : "", "?"],
            text: isPause ? "No node starts another of its jobs until somebody resumes it. Running jobs run on, and new ones can be enqueued."
                : "Nodes start its jobs again at once.",
            fields: isPause && item.services.length > 0 ? [h("label", {}, "Only for this service (empty: for all) ",
                h("input", { name: "service", list: "services", autocomplete: "off" }),
                h("datalist", { id: "services" }, item.services.map((value) => h("option", { value }))))] : [],
            yes: isPause ? "Pause" : "Resume" });
        if (answer === null) return;
        const only = isPause ? answer.service?.trim() : service;
        try {
            const done = await post(path(kind.plural, item.name, verb), only ? { service: only } : {});
            say(`The ${kind.one} ${visible(item.name)} is ${done.paused ? "paused" : "resumed"}` +
                `${done.changed ? "" : ", as it was before"}.${done.warning ? " " + visible(done.warning) : ""}`);
        } catch (error) {
            say(error.message);
        }
        app.reload();
    }

    function names(rows) {
        const to = (item, state) => link("jobs", { state, [kind.one]: item.name });
        const linked = (title, key, state, tone) => ({ title, kind: "number",
            cell: (item) => h("a", { href: to(item, state), class: item[key] > 0 ? tone : null }, count(item[key])) });
        return table({
            caption: kind.title, rows, key: (item) => item.name, empty: `No ${kind.one} is known yet.`,
            columns: [
                { title: kind.title.slice(0, -1), head: true, cell: (item) => [kind.name(item.name), pauses(item)] },
                linked("Waiting", "waiting", WAITING),
                { title: "Due now", kind: "number", cell: (item) => count(item.due) + (item.due_is_capped ? "+" : "") },
                linked("Processing", "processing", "processing"),
                linked("Failed", "failed", "failed", "bad-text"),
                linked("Succeeded", "succeeded", "succeeded"),
                linked("Expired", "expired", "expired"),
                linked("Cancelled", "cancelled", "cancelled"),
                { title: "Nodes", kind: "number", cell: (item) => h("span", { class: item.nodes === 0 && item.waiting > 0 ? "bad-text" : null,
                    title: item.services.map(visible).join(", ") }, count(item.nodes)) },
                { title: "Do", kind: "do", cell: (item) => [
                    item.pauses.some((p) => p.service === null) ? null
                        : button("Pause\u2026", () => change(item, "pause"), { "aria-label": `Pause ${kind.one} ${visible(item.name)}` }),
                    item.pauses.map((p) => button(p.service === null ? "Resume\u2026" : ["Resume for ", foreign(p.service), "\u2026"],
                        () => change(item, "resume", p.service), { class: "primary", "data-key": `resume ${p.service ?? ""}` }))] },
            ] });
    }
}

function pauses(item) {
    return item.pauses.map((p) => h("div", { class: "notice warn small" }, "Paused",
        p.service === null ? "" : [" for service ", foreign(p.service)], p.by ? [" by ", foreign(p.by)] : "", " at ", time(p.at)));
}
