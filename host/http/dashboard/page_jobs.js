// The list of jobs: filters, pages, selection, and one action for all of them.
import { get } from "./api.js";
import { actOnMany } from "./bulk.js";
import { h } from "./dom.js";
import { bodyOf, filterForm, filterFrom, queryOf, wordsOf } from "./filters.js";
import { ago, button, errorLine, jobId, queueName, state, table, tags, typeName } from "./parts.js";
import { link } from "./route.js";
import { capped, count, plural, visible } from "./text.js";

const PAGE = 50;
const EMPTY_PAGES = 5;  // pages without a match that are looked through before the reader is asked

export function jobsPage(app, { query }) {
    const filter = filterFrom(query);
    const after = query.get("after") ?? "";
    const selected = new Set();
    let names = null;
    let page = { items: [], next: null, warnings: [] };
    let total = null;
    let from = after;

    async function load() {
        if (names === null) names = await suggestions(app.signal);
        [page, total] = await Promise.all([look(from), get(`/jobs/count?${queryOf(filter)}`, app.signal)]);
        for (const id of selected) {
            if (!page.items.some((job) => job.id === id)) selected.delete(id);
        }
    }

    /// A page may be empty although there is more: a rare match in a long list.
    async function look(start) {
        let at = start;
        for (let i = 0; ; ++i) {
            const part = await get(`/jobs?${queryOf(filter, { limit: PAGE, after: at })}`, app.signal);
            if (part.items.length > 0 || part.next === null || i === EMPTY_PAGES) return part;
            at = part.next;
        }
    }

    async function act(action) {
        const isDone = selected.size > 0
            ? await actOnMany(action, { ids: [...selected] }, `selected ${selected.size === 1 ? "job" : "jobs"}`)
            : await actOnMany(action, { filter: bodyOf(filter) }, wordsOf(filter));
        if (isDone) {
            selected.clear();
            app.reload();
        }
    }

    return {
        title: "Jobs", load, className: "jobs",
        view: () => [
            h("h1", {}, "Jobs"),
            filterForm(filter, names),
            (page.warnings ?? []).map((text) => h("p", { class: "notice warn" }, visible(text))),
            bar({ filter, selected, total, act }),
            list({ page, selected, now: app.live.now(), paint: app.paint }),
            pager({ filter, after, page, lookOn: () => {
                from = page.next;
                app.reload();
            } }),
        ],
    };
}

/// Names to choose from; the page works without them.
async function suggestions(signal) {
    const names = (path) => get(path, signal).then((r) => r.items.map((item) => item.name), () => []);
    const [types, queues] = await Promise.all([names("/types"), names("/queues")]);
    return { types, queues };
}

function bar({ filter, selected, total, act }) {
    const isSome = selected.size > 0;
    const which = isSome ? `${count(selected.size)} selected` : total.count === 1 ? "the one that matches" : `all ${capped(total)} that match`;
    const has = (states) => isSome || filter.state.length === 0 || filter.state.some((s) => states.includes(s));
    const can = {
        requeue: has(["succeeded", "failed", "expired", "cancelled"]),
        cancel: has(["scheduled", "enqueued", "processing", "awaiting"]), delete: true };
    const isNone = !isSome && total.count === 0;
    const one = (name, title, kind) => button(`${title} ${which}\u2026`, () => act(name),
        { disabled: isNone || !can[name], class: kind, "data-do": name });
    return h("div", { class: "doing", "data-key": "bar" },
        h("p", { class: "total", role: "status" }, h("b", {}, capped(total)), " ", wordsOf(filter)),
        h("div", { class: "actions" }, one("requeue", "Requeue"), one("cancel", "Cancel"), one("delete", "Delete", "danger")));
}

function list({ page, selected, now, paint }) {
    const all = page.items.length > 0 && page.items.every((job) => selected.has(job.id));
    const set = (ids, isOn) => {
        for (const id of ids) isOn ? selected.add(id) : selected.delete(id);
        paint();
    };
    const everyBox = () => h("input", { type: "checkbox", "aria-label": "Select all on this page", checked: all,
        indeterminate: !all && selected.size > 0,
        onchange: (event) => set(page.items.map((job) => job.id), event.currentTarget.checked) });
    return table({
        caption: "Jobs", rows: page.items, key: (job) => job.id,
        empty: page.next === null ? "No job matches." : "None on this page, but there are more to look through.",
        columns: [
            { title: "Select", kind: "check", headCell: everyBox, cell: (job) => h("input", { type: "checkbox",
                "aria-label": `Select job ${job.id}`, checked: selected.has(job.id),
                onchange: (event) => set([job.id], event.currentTarget.checked) }) },
            { title: "Job", kind: "number", head: true, cell: (job) => jobId(job.id) },
            { title: "State", cell: (job) => [state(job.state), job.stopping ? h("span", { class: "flag" }, "stopping") : null] },
            { title: "Type", cell: (job) => [typeName(job.type), tags(job.tags)] },
            { title: "Queue", cell: (job) => queueName(job.queue) },
            { title: "Attempts", kind: "number", cell: (job) => attempts(job) },
            { title: "When", kind: "when", cell: (job) => when(job, now) },
            { title: "What happened", kind: "wide", cell: (job) => what(job) },
        ] });
}

const attempts = (job) => (job.max_attempts ?? job.max_attempts_requested
    ? `${job.attempts} of ${job.max_attempts ?? job.max_attempts_requested}` : String(job.attempts));

function when(job, now) {
    if (job.finished_at) return ago(job.finished_at, now);
    if (job.state === "processing") return ["since ", ago(job.started_at ?? job.run_at, now)];
    if (job.state === "scheduled") return ["due ", ago(job.run_at, now)];
    return ago(job.run_at ?? job.created_at, now);
}

function what(job) {
    if (job.state === "processing" && job.progress) {
        return [job.progress.percent === null ? null : `${job.progress.percent} % `, visible(job.progress.text ?? "")];
    }
    if (job.state === "succeeded") return job.last_error ? h("span", { class: "none" }, "after ", plural(job.attempts, "attempt")) : "";
    return [errorLine(job.last_error), job.reason ? h("span", { class: "reason" }, visible(job.reason)) : null];
}

function pager({ filter, after, page, lookOn }) {
    const isEmpty = page.items.length === 0 && page.next !== null;
    return h("nav", { class: "pager", "data-key": "pager", "aria-label": "Pages of the list" },
        after !== "" ? h("a", { class: "button", href: link("jobs", filter) }, "First page") : null,
        after !== "" ? button("Back", () => history.back()) : null,
        isEmpty ? button("Look further", lookOn) : null,
        !isEmpty && page.next !== null ? h("a", { class: "button", "data-next": true,
            href: link("jobs", { ...filter, after: page.next }) }, "Next page") : null,
        !isEmpty && page.next === null && page.items.length > 0 ? h("span", { class: "none" }, "That is all.") : null);
}
