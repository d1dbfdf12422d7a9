// Which jobs: from the address, to a form, to the words and the body of a request.
import { foreign, h } from "./dom.js";
import { link, queryText } from "./route.js";

export const STATES = ["scheduled", "enqueued", "processing", "awaiting", "succeeded", "failed", "expired", "cancelled"];
const TEXTS = ["type", "queue", "tag", "error", "since", "group"];

export function filterFrom(query) {
    const filter = { state: query.getAll("state").filter((s) => STATES.includes(s)) };
    for (const name of TEXTS) filter[name] = query.get(name) ?? "";
    return filter;
}

export const queryOf = (filter, more = {}) => queryText({ ...filter, ...more });

/// As the body of a bulk request wants it.
export function bodyOf(filter) {
    const body = {};
    if (filter.state.length > 0) body.states = filter.state;
    for (const name of TEXTS) {
        if (filter[name] !== "") body[name] = filter[name];
    }
    return body;
}

/// "failed or expired jobs of type a.b in queue c": for titles and questions.
export function wordsOf(filter) {
    const say = (before, value) => (value === "" ? [] : [before, foreign(value)]);
    return h("span", {}, filter.state.length > 0 ? `${filter.state.join(" or ")} jobs` : "jobs in any state",
        say(" of type ", filter.type), say(" in queue ", filter.queue), say(" with tag ", filter.tag),
        say(" with error ", filter.error), filter.group ? " of one group of failures" : "",
        say(" since ", filter.since));
}

/// The form; every change goes into the address, so that back, reload and a sent link all work.
export function filterForm(filter, { types, queues }) {
    const form = h("form", { class: "filters", "data-key": "filters", "aria-label": "Filter jobs" });
    const go = () => { location.hash = link("jobs", read(form, filter.group)); };
    const field = (name, title, attributes) => h("label", {}, h("span", {}, title),
        h("input", { name, value: filter[name], onchange: go, autocomplete: "off", spellcheck: "false", ...attributes }));
    form.onsubmit = (event) => {
        event.preventDefault();
        go();
    };
    form.append(
        h("fieldset", {}, h("legend", {}, "States"), STATES.map((state) => h("label", { class: `chip state-${state}` },
            h("input", { type: "checkbox", name: "state", checked: filter.state.includes(state), onchange: go, "data-state": state }), state))),
        h("div", { class: "fields" },
            field("type", "Type", { list: "all-types" }), field("queue", "Queue", { list: "all-queues" }), field("tag", "Tag"),
            field("error", "Error type or text"), field("since", "Since", { placeholder: "1h, 7d or a time" }),
            h("button", { type: "submit" }, "Filter"),
            h("a", { href: link("jobs"), class: "button" }, "Clear")),
        filter.group ? h("p", { class: "group-note" }, "Only one group of failures: same type, same error, same place. ",
            h("a", { href: link("jobs", { ...filter, group: "" }) }, "Show all groups")) : "",
        h("datalist", { id: "all-types" }, types.map((value) => h("option", { value }))),
        h("datalist", { id: "all-queues" }, queues.map((value) => h("option", { value }))));
    return form;
}

function read(form, group) {
    const query = { state: Array.from(form.querySelectorAll("[name=state]:checked"), (box) => box.dataset.state), group };
    for (const name of TEXTS) {
        const input = form.querySelector(`[name=${name}]`);
        if (input) query[name] = input.value.trim();
    }
    return query;
}
