// Every node: does it beat, what has it loaded, and making it read its configuration again.
import { get, post } from "./api.js";
import { confirm, Dialog, say } from "./dialog.js";
import { foreign, h } from "./dom.js";
import { ago, button, facts, state, time, typeName } from "./parts.js";
import { count, plural, visible } from "./text.js";

export function nodesPage(app) {
    let items = null;
    return {
        title: "Nodes", interval: 5000,
        async load() {
            ({ items } = await get("/nodes", app.signal));
        },
        view() {
            const live = items.filter((node) => node.state === "live");
            const rest = items.filter((node) => node.state !== "live");
            return [
                h("div", { class: "title" }, h("h1", {}, "Nodes"), h("div", { class: "actions" },
                    live.length > 1 ? button("Reload all\u2026", () => reload({}, `all ${live.length} nodes`)) : null)),
                h("p", { class: "lead" }, `${plural(live.length, "live node")}` +
                    (rest.length > 0 ? `, and ${count(rest.length)} that died or stopped.` : ".")),
                h("div", { class: "cards" }, [...live, ...rest].map((node) => card(node))),
            ];
        },
    };

    async function reload(which, what) {
        const answer = await confirm({ title: `Reload ${what}?`, yes: "Reload",
            text: "Each node reads its configuration file again. A file with an error changes nothing and says why." });
        if (answer === null) return;
        say("Reloading\u2026");
        try {
            const { items: results } = await post("/reload", which);
            say(results.every((r) => r.reloaded) ? "Reloaded." : "Not every node could reload.");
            const dialog = new Dialog("What the reload did");
            dialog.show(results.map(result), [button("Close", () => dialog.close())]);
        } catch (error) {
            say(error.message);
        }
        app.reload();
    }

    function card(node) {
        const now = app.live.now();
        const isLive = node.state === "live";
        return h("article", { class: `card node-${visible(node.state)}`, "data-key": node.id },
            h("h2", {}, foreign(node.name), " ", state(node.state)),
            facts([
                ["Service", foreign(node.service)],
                ["Last beat", ago(node.beat_at, now)],
                ["Processing", count(node.processing)],
                ["Host", [foreign(node.host), ` \u00b7 pid ${node.pid}`]],
                ["Version", foreign(node.version)],
                ["Started", time(node.started_at)],
                ["Ended because", node.death ? foreign(node.death) : null],
                ["Queues", list(node.queues.map((q) => foreign(typeof q === "string" ? q : q.name)))],
                ["Plugins", list(node.plugins.map((p) => foreign(p)))],
                ["Types", list(node.types.map((t) => [typeName(t.name), t.has_handler ? h("span", { class: "flag" }, "handler") : null]))],
                ["Incarnation", foreign(node.incarnation)],
            ]),
            isLive ? button("Reload\u2026", () => reload({ node: node.name }, visible(node.name)),
                { "aria-label": `Reload node ${visible(node.name)}` }) : null);
    }
}

const list = (items) => (items.length === 0 ? h("span", { class: "none" }, "none") : h("ul", { class: "inline" }, items.map((item) => h("li", {}, item))));

function result(r) {
    const lines = (title, texts) => (texts.length === 0 ? null : [h("h4", {}, title), h("ul", {}, texts.map((t) => h("li", {}, foreign(t))))]);
    return h("section", {}, h("h3", {}, foreign(r.name), ": ", r.reloaded ? "reloaded" : "not reloaded"),
        r.reloaded && r.changes.length === 0 ? h("p", {}, "Nothing differs.") : null,
        lines("Changed", r.changes.map((c) => `${c.key}: ${c.before} \u2192 ${c.after}`)),
        lines("Needs a restart", r.needs_restart), lines("Warnings", r.warnings), lines("Errors", r.errors));
}
