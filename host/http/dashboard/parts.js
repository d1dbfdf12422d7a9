// The pieces that every page is made of.
import { foreign, h } from "./dom.js";
import { brief, clockTime, duration, localTime, relative, visible } from "./text.js";
import { jobLink, link, typeLink } from "./route.js";

/// A time in the reader's zone; the title has the stored one in UTC.
export function time(value) {
    if (!value) return h("span", { class: "none" }, "\u2013");
    return h("time", { datetime: value, title: `${value} (UTC)` }, localTime(value));
}

/// How long ago, with both times in the title.
export function ago(value, now) {
    if (!value) return h("span", { class: "none" }, "\u2013");
    return h("time", { datetime: value, title: `${localTime(value)} \u00b7 ${value} (UTC)`, class: "ago" },
        relative(value, now));
}

export function state(name) {
    return h("span", { class: `state state-${String(name).replace(/[^a-z_]/g, "")}` },
        visible(name).replace(/_/g, " "));
}

export function jobId(id) {
    return h("a", { href: jobLink(id), class: "number" }, id);
}

export function typeName(name) {
    return h("a", { href: typeLink(name), class: "name" }, foreign(name));
}

export function queueName(name) {
    return h("a", { href: link("jobs", { queue: name }), class: "name" }, foreign(name));
}

export function tags(list) {
    return list.map((tag) => h("a", { class: "tag", href: link("jobs", { tag }) }, foreign(tag)));
}

/// An error in one line: its type, then what it said.
export function errorLine(error) {
    if (!error) return null;
    return h("span", { class: "error-line" }, h("b", {}, foreign(brief(error.type, 80))), " ",
        foreign(brief(error.message, 200)));
}

/// columns: [{title, cell(row), kind?: "number"|"wide"|"check", head?: true}]
export function table({ caption, columns, rows, key, empty, hideCaption = true }) {
    const head = h("tr", {}, columns.map((c) =>
        h("th", { scope: "col", class: c.kind }, c.headCell ? c.headCell() : c.title)));
    const cell = (c, row) => h(c.head ? "th" : "td",
        { scope: c.head ? "row" : null, class: c.kind, "data-label": c.title }, c.cell(row));
    return h("div", { class: "scroll" },
        h("table", {},
            h("caption", { class: hideCaption ? "hidden" : null }, caption),
            h("thead", {}, head),
            h("tbody", {}, rows.length > 0
                ? rows.map((row) => h("tr", { "data-key": key(row) }, columns.map((c) => cell(c, row))))
                : h("tr", { class: "empty" }, h("td", { colspan: columns.length }, empty)))));
}

export function problem(error) {
    return h("p", { class: "notice bad", role: "alert" }, error.message);
}

export function section(id, title, ...children) {
    return h("section", { "data-key": id, "aria-labelledby": `h-${id}` },
        h("h2", { id: `h-${id}` }, title), ...children);
}

/// A list of terms: pairs of a name and what to show.
export function facts(pairs) {
    return h("dl", { class: "facts" }, pairs.filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => h("div", { "data-key": name }, h("dt", {}, name), h("dd", {}, value))));
}

export function button(text, onclick, attributes = {}) {
    return h("button", { type: "button", onclick, ...attributes }, text);
}

export { clockTime, duration };
