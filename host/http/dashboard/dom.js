// Elements from data, and the smallest change from one tree to the next. Data becomes text nodes
// only: nothing here, or anywhere in the dashboard, parses HTML.
import { visible } from "./text.js";

const HANDLERS = ["onclick", "onchange", "oninput", "onsubmit", "ontoggle", "onpointermove",
    "onpointerleave"];
const SVG = "http://www.w3.org/2000/svg";

/// h("a", {class: "x", href: "#/", onclick: f}, "text", [more], null)
export function h(tag, attributes, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
    return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (value === null || value === undefined || value === false) continue;
        if (HANDLERS.includes(name)) element[name] = value;
        else if (name === "checked" || name === "value" || name === "indeterminate") element[name] = value;
        else element.setAttribute(name, value === true ? "" : String(value));
    }
    element.append(...children.flat(Infinity)
        .filter((child) => child !== null && child !== undefined && child !== false)
        .map((child) => (child instanceof Node ? child : document.createTextNode(String(child)))));
    return element;
}

/// Text that somebody else wrote: apart in its direction, odd characters by name.
export function foreign(text, attributes) {
    return h("bdi", attributes, visible(text));
}

/// Makes `old` look like `next`, keeping every node that can stay: focus, selection, scroll, open
/// details and what was typed survive. Siblings with data-key are matched by it.
export function morph(old, next) {
    if (old.nodeType !== next.nodeType || old.nodeName !== next.nodeName) {
        old.replaceWith(next);
        return next;
    }
    if (old.nodeType === Node.TEXT_NODE) {
        if (old.data !== next.data) old.data = next.data;
        return old;
    }
    if (old.hasAttribute("data-own")) return old;  // in the reader's hands
    copyAttributes(old, next);
    morphChildren(old, next);
    return old;
}

function copyAttributes(old, next) {
    const users = (name) => name === "open";  // details and dialogs belong to the reader
    for (const { name } of Array.from(old.attributes)) {
        if (!next.hasAttribute(name) && !users(name)) old.removeAttribute(name);
    }
    for (const { name, value } of Array.from(next.attributes)) {
        if (old.getAttribute(name) !== value && !users(name)) old.setAttribute(name, value);
    }
    for (const name of HANDLERS) {
        if (old[name] !== next[name]) old[name] = next[name];
    }
    if (old.nodeName === "INPUT" && (old.type === "checkbox" || old.type === "radio")) {
        old.checked = next.checked;
        old.indeterminate = next.indeterminate;
    }
}

const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.getAttribute("data-key") : null);

function morphChildren(old, next) {
    const wanted = Array.from(next.childNodes);
    const keys = new Set(wanted.map(keyOf).filter((key) => key !== null));
    const byKey = new Map();
    for (const child of Array.from(old.childNodes)) {
        const key = keyOf(child);
        if (key === null) continue;
        if (keys.has(key) && !byKey.has(key)) byKey.set(key, child);
        else child.remove();  // first, so that the rows that stay need not move and keep their focus
    }
    let here = old.firstChild;
    for (const child of wanted) {
        const key = keyOf(child);
        const match = key !== null ? byKey.get(key)
            : here !== null && keyOf(here) === null && here.nodeName === child.nodeName ? here : null;
        if (!match) {
            old.insertBefore(child, here);
        } else if (match === here) {
            here = here.nextSibling;
            morph(match, child);
        } else {
            old.insertBefore(match, here);
            morph(match, child);
        }
    }
    while (here !== null) {
        const rest = here.nextSibling;
        here.remove();
        here = rest;
    }
}
