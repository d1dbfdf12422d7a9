// How values read: pure functions from data to text, no DOM.

// Characters that are invisible, or turn the text around them: shown by name, so that what a job
// brought can neither hide nor reorder what stands beside it. Line feed and tab stay.
const ODD = new RegExp(
    "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b\\u200e\\u200f" +
    "\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]" +
    "|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]", "g");

export function visible(text) {
    return String(text).replace(ODD, (c) =>
        "\u27e8U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "\u27e9");
}

/// One line, at most `limit` characters.
export function brief(text, limit = 160) {
    const line = visible(String(text).slice(0, limit * 2)).replace(/\s+/g, " ").trim();
    const points = Array.from(line);
    return points.length > limit || String(text).length > limit * 2
        ? points.slice(0, limit).join("") + "\u2026" : line;
}

const numbers = new Intl.NumberFormat("en-US");
export const count = (n) => numbers.format(n);

export function capped({ count: n, is_capped: isCapped }) {
    return isCapped ? "10,000+" : count(n);
}

export function plural(n, one, many = one + "s") {
    return `${count(n)} ${n === 1 ? one : many}`;
}

export function bytes(n) {
    if (n < 1024) return plural(n, "byte");
    if (n < 1024 * 1024) return `${(n / 1024).toFixed(1)} KiB`;
    return `${(n / 1024 / 1024).toFixed(1)} MiB`;
}

/// Seconds as people say them, with two units at most: `3 ms`, `1.4 s`, `2 min 5 s`, `3 h 10 min`.
export function duration(seconds) {
    const s = Math.abs(seconds);
    if (s === 0) return "0 s";
    if (s < 0.000001) return "under 1 µs";
    if (s < 0.001) return `${round(s * 1e6)} µs`;
    if (s < 1) return `${round(s * 1e3)} ms`;
    if (s < 59.95) return `${round(s)} s`;
    const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
    let rest = Math.round(s);
    if (rest >= 36000) rest = Math.round(rest / 60) * 60;
    const parts = [];
    for (const [size, name] of units) {
        const n = Math.floor(rest / size);
        rest -= n * size;
        if (n > 0) parts.push(`${n} ${name}`);
        else if (parts.length > 0) break;
        if (parts.length === 2) break;
    }
    return parts.join(" ");
}

function round(n) {
    return n >= 100 ? Math.round(n) : Number(n.toPrecision(2));
}

const pad = (n, width = 2) => String(n).padStart(width, "0");

/// A stored time in the reader's zone, to the second: `2026-03-01 14:05:09`.
export function localTime(time) {
    const d = new Date(time);
    if (Number.isNaN(d.getTime())) return visible(time);
    return `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())} ` +
        `${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}`;
}

export function clockTime(time) {
    const d = new Date(time);
    return `${pad(d.getHours())}:${pad(d.getMinutes())}`;
}

/// How long ago, or in how long, seen from `now` (milliseconds of the host's clock).
export function relative(time, now) {
    const seconds = (new Date(time).getTime() - now) / 1000;
    if (Number.isNaN(seconds)) return "";
    if (Math.abs(seconds) < 1) return "now";
    const size = Math.abs(seconds) < 60 ? Math.floor(Math.abs(seconds)) : Math.abs(seconds);
    return seconds < 0 ? `${duration(size)} ago` : `in ${duration(size)}`;
}
