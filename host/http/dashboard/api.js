// The host's HTTP interface: one function for each shape of call.

/// What the host refused, in its own words.
export class Problem extends Error {
    constructor(status, title, detail) {
        super(detail || title || `The host answered ${status}.`);
        this.status = status;
    }
}

let whenLoginIsNeeded = () => {};
export function onLoginNeeded(handler) {
    whenLoginIsNeeded = handler;
}

export async function request(method, path, { body, signal } = {}) {
    let response;
    try {
        response = await fetch("/api/v1" + path, {
            method, signal, cache: "no-store",
            headers: body === undefined ? {} : { "Content-Type": "application/json" },
            body: body === undefined ? undefined : JSON.stringify(body),
        });
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new Problem(0, "", "The host does not answer. Is it running?");
    }
    if (response.ok) return response;
    const problem = await response.json().catch(() => ({}));
    if (response.status === 401 && path !== "/session") whenLoginIsNeeded();
    let detail = problem.detail;
    const wait = response.headers.get("Retry-After");
    if (response.status === 429 && wait) detail = `${detail ?? "Too many tries."} Try again in ${wait} s.`;
    throw new Problem(response.status, problem.title, detail);
}

export async function get(path, signal) {
    return (await request("GET", path, { signal })).json();
}

export async function post(path, body, signal) {
    const response = await request("POST", path, { body: body ?? {}, signal });
    return response.status === 204 ? null : response.json();
}

export async function remove(path, signal) {
    const response = await request("DELETE", path, { signal });
    return response.status === 204 ? null : response.json();
}

/// The first `limit` bytes of a text, and whether there is more; the rest is not transferred.
export async function getText(path, limit, signal) {
    const reader = (await request("GET", path, { signal })).body.getReader();
    const decoder = new TextDecoder();
    let text = "";
    let size = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done) return { text: text + decoder.decode(), isCut: false };
        const room = limit - size;
        text += decoder.decode(value.subarray(0, room), { stream: true });
        size += value.length;
        if (size > limit) {
            await reader.cancel();
            return { text, isCut: true };
        }
    }
}

export const path = (...parts) => "/" + parts.map(encodeURIComponent).join("/");
