// Every group of failed jobs.
import { get } from "./api.js";
import { h } from "./dom.js";
import { groupTable } from "./failure_groups.js";
import { link } from "./route.js";
import { count, plural } from "./text.js";

export function failuresPage(app) {
    let groups = null;
    return {
        title: "Failures",
        async load() {
            groups = await get("/failures", app.signal);
        },
        view: () => [
            h("h1", {}, "Failures"),
            h("p", { class: "lead" }, groups.items.length === 0 ? "No job is in the state failed."
                : `${plural(groups.looked_at, "failed job")} in ${plural(groups.items.length, "group")}: same type, same error, same place in the code. `,
            groups.is_capped ? `Only the newest ${count(groups.looked_at)} are grouped; there are more. ` : null,
            groups.items.length === 0 ? null : h("a", { href: link("jobs", { state: "failed" }) }, "All of them as a list")),
            groupTable(app, groups.items),
        ],
    };
}
