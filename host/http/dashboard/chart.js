// Charts by hand: an SVG stretched over its box for the shapes, HTML for the words, and a table with
// the same numbers for whoever cannot see or wants to read them.
import { h, svg } from "./dom.js";
import { clockTime } from "./text.js";

const WIDTH = 600;
const HEIGHT = 100;

/// The last `n` minutes as slots, each with its row or null.
export function slots(minutes, now, n = 60) {
    const byMinute = new Map(minutes.map((m) => [Math.floor(new Date(m.minute).getTime() / 60000), m]));
    const last = Math.floor(now / 60000);
    return Array.from({ length: n }, (_, i) => {
        const minute = last - n + 1 + i;
        return { minute: minute * 60000, row: byMinute.get(minute) ?? null };
    });
}

/// series: [{name, key, shape: "bar"|"line"|"dash", tone}], scale(value) -> 0..1, marks: [[0..1, text]]
export function chart({ id, title, label, series, columns, scale, marks, format, zero }) {
    const step = WIDTH / columns.length;
    const y = (value) => HEIGHT - HEIGHT * Math.min(1, Math.max(0, scale(value)));
    const valueOf = (slot, key) => slot.row?.[key] ?? zero;
    const read = (slot) => `${clockTime(slot.minute)}  ` + series.map((s) => {
        const value = valueOf(slot, s.key);
        return `${s.name} ${value === null ? "\u2013" : format(value)}`;
    }).join(" \u00b7 ");
    const readout = h("p", { class: "readout" }, read(columns[columns.length - 2]));
    const shapes = series.map((s) => (s.shape === "bar" ? bars(s) : lines(s)));

    function bars(s) {
        const d = columns.map((slot, i) => {
            const value = valueOf(slot, s.key) ?? 0;
            if (value <= 0) return "";
            const top = Math.min(y(value), HEIGHT - 1.5);
            return `M${(i * step + step * 0.15).toFixed(2)} ${HEIGHT}V${top.toFixed(2)}h${(step * 0.7).toFixed(2)}V${HEIGHT}z`;
        }).join("");
        return svg("path", { d, class: `bar tone-${s.tone}` });
    }
    function lines(s) {
        let d = "";
        let isOpen = false;
        columns.forEach((slot, i) => {
            const value = valueOf(slot, s.key);
            if (value === null) {
                isOpen = false;
                return;
            }
            const x = i * step + step / 2;
            // A lone point would be invisible as a line: it gets a width of its own.
            const isLone = !isOpen && (i + 1 >= columns.length || valueOf(columns[i + 1], s.key) === null);
            d += isLone ? `M${(x - 3).toFixed(2)} ${y(value).toFixed(2)}h6`
                : `${isOpen ? "L" : "M"}${x.toFixed(2)} ${y(value).toFixed(2)}`;
            isOpen = true;
        });
        return svg("path", { d, class: `line tone-${s.tone}${s.shape === "dash" ? " dash" : ""}` });
    }

    const image = svg("svg", {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label,
        onpointermove: (event) => {
            const box = event.currentTarget.getBoundingClientRect();
            const i = Math.floor((event.clientX - box.left) / box.width * columns.length);
            const slot = columns[Math.min(columns.length - 1, Math.max(0, i))];
            const out = readoutOf(event);
            out.textContent = read(slot);
            out.setAttribute("data-own", "");
        },
        onpointerleave: (event) => readoutOf(event).removeAttribute("data-own"),
    },
    marks.map(([at]) => svg("path", { d: `M0 ${(HEIGHT - at * HEIGHT).toFixed(2)}H${WIDTH}`, class: "grid" })),
    shapes);
    return h("figure", { class: "chart", "data-key": id },
        h("figcaption", {}, title, h("span", { class: "legend" }, series.map((s) =>
            h("span", { class: `key ${s.shape} tone-${s.tone}` }, s.name)))),
        h("div", { class: "plot" }, image,
            h("div", { class: "marks", "aria-hidden": "true" }, marks.map(([at, text]) =>
                h("span", { class: `mark at-${Math.round(at * 20)}` }, text)))),
        h("div", { class: "axis", "aria-hidden": "true" }, h("span", {}, clockTime(columns[0].minute)),
            h("span", {}, clockTime(columns[columns.length - 1].minute))),
        readout);
}

const readoutOf = (event) => event.currentTarget.closest(".chart").querySelector(".readout");

/// The numbers behind charts, newest first.
export function numbers({ caption, series, columns, format }) {
    const rows = columns.filter((slot) => slot.row !== null).reverse();
    return h("details", { class: "numbers" }, h("summary", {}, "The numbers as a table"),
        h("div", { class: "scroll short" }, h("table", { class: "plain" }, h("caption", { class: "hidden" }, caption),
            h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Minute"),
                series.map((s) => h("th", { scope: "col", class: "number" }, s.name)))),
            h("tbody", {}, rows.map((slot) => h("tr", { "data-key": slot.minute },
                h("th", { scope: "row" }, clockTime(slot.minute)),
                series.map((s) => h("td", { class: "number" },
                    slot.row[s.key] === null ? "\u2013" : format(slot.row[s.key])))))))));
}

/// A round number at or above `n`, for the top of a scale.
export function roundUp(n) {
    if (n <= 4) return 4;
    const size = 10 ** Math.floor(Math.log10(n));
    return [1, 2, 4, 5, 10].map((f) => f * size).find((top) => top >= n);
}
