// One action on many jobs: counts first, says in words what will happen, repeats the call until the
// host has no more, can be stopped, and tells what became of them.
import { post } from "./api.js";
import { Dialog, freshField } from "./dialog.js";
import { foreign, h } from "./dom.js";
import { button } from "./parts.js";
import { count, plural } from "./text.js";

const WORDS = {
    requeue: { verb: "Requeue", done: "requeued", running: "Requeuing",
        means: "They start again now, with their attempts counted from 0. Errors, logs and dead-letter runs so far are kept." },
    cancel: { verb: "Cancel", done: "cancelled", running: "Cancelling",
        means: "Jobs that wait are cancelled at once. Running ones are asked to stop, and end when they look." },
    delete: { verb: "Delete", done: "deleted", running: "Deleting",
        means: "The jobs, their inputs, errors, logs and dead-letter runs are gone for good. Nothing brings them back." },
};

const numberOf = (dry) => (dry.more ? "10,000+" : count(dry.would));

/// `which` is {ids} or {filter}; `what` says in words which jobs: "failed jobs of type a.b".
export async function actOnMany(action, which, what) {
    const words = WORDS[action];
    const dialog = new Dialog(`${words.verb} jobs`);
    const stop = new AbortController();
    let isDone = false;
    dialog.closed.then(() => stop.abort());
    dialog.show(h("p", {}, "Counting\u2026"), [button("Close", () => dialog.close())]);
    try {
        const dry = await post(`/jobs/${action}`, { ...which, dry_run: true }, stop.signal);
        if (!(await ask(dialog, words, action, what, dry))) return false;
        const fresh = dialog.body.querySelector("[name=fresh]")?.checked ?? false;
        isDone = true;
        const sum = await run(dialog, words, action, { ...which, ...(fresh ? { fresh } : {}) }, dry, stop.signal);
        showResult(dialog, words, sum);
    } catch (error) {
        if (error.name === "AbortError") return isDone;
        dialog.show(h("p", { class: "notice bad", role: "alert" }, error.message),
            [button("Close", () => dialog.close())]);
    }
    await dialog.closed;
    return isDone;
}

function ask(dialog, words, action, what, dry) {
    const refused = dry.refused + dry.not_found > 0
        ? h("p", {}, `${plural(dry.refused + dry.not_found, "job")} will be left as they are: `, reasons(dry.items)) : null;
    if (dry.would === 0) {
        dialog.show([h("p", {}, `There is nothing to ${words.verb.toLowerCase()}: no job of `, what, " can be."), refused],
            [button("Close", () => dialog.close())]);
        return dialog.closed.then(() => false);
    }
    return new Promise((resolve) => {
        const isDelete = action === "delete";
        const typed = h("input", { type: "text", autocomplete: "off", "aria-label": "Type delete to go on" });
        const yes = button(`${words.verb} ${numberOf(dry)}`, () => resolve(true),
            { class: isDelete ? "danger" : "primary", disabled: isDelete, "data-yes": true, "data-first": !isDelete });
        typed.addEventListener("input", () => { yes.disabled = typed.value.trim() !== "delete"; });
        dialog.show([
            h("p", { class: "big" }, h("b", {}, numberOf(dry)), " ", what),
            h("p", {}, words.means), refused,
            action === "requeue" ? freshField() : null,
            isDelete ? h("label", {}, "Type \u201cdelete\u201d to go on: ", typed) : null,
        ], [button("Leave them", () => dialog.close(), { "data-first": isDelete }), yes]);
        dialog.closed.then(() => resolve(false));
    });
}

async function run(dialog, words, action, body, dry, signal) {
    const sum = { done: 0, requested: 0, refused: 0, notFound: 0, items: [], isStopped: false };
    const bar = h("progress", dry.more ? {} : { max: dry.would, value: 0 });
    const line = h("p", { "aria-live": "polite" }, `${words.running}\u2026`);
    dialog.show([line, bar], [button("Stop", () => { sum.isStopped = true; })]);
    let handled = 0;
    for (;;) {
        const part = await post(`/jobs/${action}`, body, signal);
        sum.done += part.done;
        sum.requested += part.requested;
        sum.refused += part.refused;
        sum.notFound += part.not_found;
        sum.items.push(...part.items.filter((item) => item.outcome === "refused").slice(0, 1000));
        handled += part.done + part.requested;
        if (!dry.more) bar.value = handled;
        line.textContent = `${words.running}\u2026 ${count(handled)} of ${numberOf(dry)}`;
        // Jobs that fail again at once match again: what was counted and agreed to is the end.
        const isAll = !dry.more && handled >= dry.would;
        if (!part.more || isAll || part.done + part.requested === 0) return sum;
        if (sum.isStopped) return sum;
    }
}

function showResult(dialog, words, sum) {
    const parts = [h("p", { class: "big", role: "status" }, h("b", {}, plural(sum.done, "job")),
        ` ${words.done}.`)];
    if (sum.requested > 0) parts.push(h("p", {}, `${plural(sum.requested, "running job")} asked to stop.`));
    if (sum.refused > 0) parts.push(h("p", {}, `${plural(sum.refused, "job")} refused: `, reasons(sum.items)));
    if (sum.notFound > 0) parts.push(h("p", {}, `${plural(sum.notFound, "job")} not there any more.`));
    if (sum.isStopped) parts.push(h("p", {}, "Stopped by you: the rest is as it was."));
    dialog.show(parts, [button("Close", () => dialog.close())]);
}

/// Why jobs were refused, each reason once.
function reasons(items) {
    const counts = new Map();
    for (const { reason } of items) {
        if (!reason) continue;
        const kind = String(reason).replace(/\b\d+\b/g, "\u2026");
        counts.set(kind, { reason, n: (counts.get(kind)?.n ?? 0) + 1 });
    }
    return h("ul", {}, [...counts.values()].slice(0, 8).map(({ reason, n }) =>
        h("li", {}, n > 1 ? `${count(n)} \u00d7 ` : "", foreign(reason))));
}
