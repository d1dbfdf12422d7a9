// Every dead-letter run: what handlers and forwarders were called, and what came of it.
import { get } from "./api.js";
import { rerun } from "./actions.js";
import { h } from "./dom.js";
import { runs } from "./job_parts.js";
import { link, queryText } from "./route.js";

const STATES = ["owed", "started", "succeeded", "failed", "not_applicable", "interrupted", "timed_out"];

export function deadLetterPage(app, { query }) {
    const state = STATES.includes(query.get("state")) ? query.get("state") : "";
    const job = query.get("job") ?? "";
    const after = query.get("after") ?? "";
    let page = null;
    const go = (event) => { location.hash = link("deadletter", { state: event.currentTarget.value, job }); };
    const again = async (run) => {
        if (await rerun(run)) app.reload();
    };
    return {
        title: "Dead letters",
        async load() {
            page = await get(`/deadletter?${queryText({ state, job, limit: 50, after })}`, app.signal);
        },
        view: () => [
            h("h1", {}, "Dead letters"),
            h("p", { class: "lead" }, "What ran after a job had failed for good: its type's handler, and forwarders. Each runs once."),
            h("p", { class: "filters", "data-key": "state" }, h("label", {}, "State ", h("select", { onchange: go },
                h("option", { value: "", selected: state === "" }, "any"),
                STATES.map((s) => h("option", { value: s, selected: s === state }, s.replace(/_/g, " ")))))),
            runs(page.items, again),
            h("nav", { class: "pager", "aria-label": "Pages of the list" },
                after !== "" ? h("a", { class: "button", href: link("deadletter", { state, job }) }, "First page") : null,
                page.next !== null ? h("a", { class: "button", href: link("deadletter", { state, job, after: page.next }) }, "Next page") : null),
        ],
    };
}
