// A job's input: laid out for reading, never read into values, and only as much as was asked for.
import { getText, path } from "./api.js";
import { h } from "./dom.js";
import { layOut } from "./json_text.js";
import { button } from "./parts.js";
import { bytes, visible } from "./text.js";

const AT_ONCE = 16 * 1024;
const FIRST = 100 * 1024;

export class InputView {
    constructor(id, app) {
        this.url = path("jobs", id, "input");
        this.app = app;
        this.text = null;
        this.isCut = false;
        this.size = 0;
        this.error = null;
    }

    /// Small inputs are there at once; an input never changes, so it is fetched once.
    async start(size) {
        this.size = size;
        if (this.text === null && size <= AT_ONCE) await this.fetch(FIRST);
    }

    async fetch(limit) {
        try {
            const { text, isCut } = await getText(this.url, limit, this.app.signal);
            this.text = visible(layOut(text));
            this.isCut = isCut;
            this.error = null;
        } catch (error) {
            if (error.name === "AbortError") throw error;
            this.error = error;
        }
    }

    async show(limit) {
        await this.fetch(limit);
        this.app.paint();
    }

    view() {
        return [
            this.error ? h("p", { class: "notice bad" }, this.error.message) : null,
            this.text === null
                ? h("p", { "data-key": "ask" }, button(`Show the input (${bytes(this.size)})`, () => this.show(FIRST)))
                : h("pre", { class: "code input", tabindex: "0", "data-key": "text" }, h("bdi", {}, this.text)),
            h("p", { class: "actions", "data-key": "more" },
                this.isCut ? [`The first ${bytes(FIRST)}. `, button(`Show all ${bytes(this.size)}`, () => this.show(Infinity))] : null,
                h("a", { href: "/api/v1" + this.url, download: "" }, "The exact bytes")),
        ];
    }
}
