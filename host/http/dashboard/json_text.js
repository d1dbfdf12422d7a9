// Lays JSON text out in lines without reading it into values: every number keeps its digits, every
// string its escapes, every repeated key its place. Works on text that is cut off or not JSON too,
// and with a counter instead of recursion, so that no depth can overflow the stack.

const SPACE = /[ \t\r\n]/;

/// Deeper than this the indentation stays, else a deep document grows with the square of its depth.
const DEEPEST_INDENT = 24;

export function layOut(json) {
    const out = [];
    let depth = 0;
    const line = () => "\n" + "  ".repeat(Math.min(depth, DEEPEST_INDENT));
    for (let i = 0; i < json.length;) {
        const c = json[i];
        if (c === '"') {
            const end = endOfString(json, i);
            out.push(json.slice(i, end));
            i = end;
        } else if (c === "{" || c === "[") {
            const next = skipSpace(json, i + 1);
            if (json[next] === (c === "{" ? "}" : "]")) {
                out.push(c + json[next]);
                i = next + 1;
            } else {
                ++depth;
                out.push(c, line());
                ++i;
            }
        } else if (c === "}" || c === "]") {
            depth = Math.max(0, depth - 1);
            out.push(line(), c);
            ++i;
        } else if (c === ",") {
            out.push(c, line());
            ++i;
        } else if (c === ":") {
            out.push(": ");
            ++i;
        } else if (SPACE.test(c)) {
            ++i;
        } else {
            const end = endOfWord(json, i);
            out.push(json.slice(i, end));
            i = end;
        }
    }
    return out.join("");
}

/// The text of one member of an object, as it stands there; null when there is none. For values that
/// must not go through numbers of JavaScript.
export function memberText(json, name) {
    let depth = 0;
    let start = -1;
    for (let i = 0; i < json.length; ++i) {
        const c = json[i];
        if (c === '"') {
            const end = endOfString(json, i);
            if (depth === 1 && start < 0 && json.slice(i + 1, end - 1) === name) {
                const colon = skipSpace(json, end);
                if (json[colon] === ":") {
                    start = skipSpace(json, colon + 1);
                    i = start - 1;
                    continue;
                }
            }
            i = end - 1;
        } else if (start >= 0 && depth === 1 && (c === "," || c === "}")) {
            return json.slice(start, i).trim();
        } else if (c === "{" || c === "[") {
            ++depth;
        } else if (c === "}" || c === "]") {
            --depth;
        }
    }
    return null;
}

function endOfString(json, start) {
    for (let i = start + 1; i < json.length; ++i) {
        if (json[i] === "\\") ++i;
        else if (json[i] === '"') return i + 1;
    }
    return json.length;
}

function skipSpace(json, start) {
    let i = start;
    while (i < json.length && SPACE.test(json[i])) ++i;
    return i;
}

function endOfWord(json, start) {
    let i = start + 1;
    while (i < json.length && !'"{}[],:'.includes(json[i]) && !SPACE.test(json[i])) ++i;
    return i;
}
