// The address after the hash, both ways: `#/jobs/7`, `#/jobs?state=failed&state=expired`.

export function parse(hash) {
    const [path, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
    const parts = path.split("/").filter((part) => part !== "").map(decode);
    return { parts, query: new URLSearchParams(query) };
}

function decode(part) {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

/// link("jobs", {state: ["failed"], queue: "", type: "a"}) -> "#/jobs?state=failed&type=a"
export function link(path, query = {}) {
    const text = queryText(query);
    return "#/" + path + (text === "" ? "" : "?" + text);
}

export function queryText(query) {
    const pairs = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
        for (const one of Array.isArray(value) ? value : [value]) {
            if (one !== null && one !== undefined && one !== "") pairs.append(name, one);
        }
    }
    return pairs.toString();
}

export const jobLink = (id) => `#/jobs/${encodeURIComponent(id)}`;
export const typeLink = (name) => `#/types/${encodeURIComponent(name)}`;
