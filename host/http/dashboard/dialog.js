// Questions before something happens, and the words after it: one modal dialog, one status line.
import { h } from "./dom.js";
import { button } from "./parts.js";

/// Says it on the screen for a while, and to a screen reader.
let sayTimer = null;
export function say(text) {
    const line = document.getElementById("say");
    line.textContent = text;
    line.classList.add("shown");
    clearTimeout(sayTimer);
    sayTimer = setTimeout(() => line.classList.remove("shown"), 8000);
}

export class Dialog {
    constructor(title) {
        this.back = document.activeElement;
        this.body = h("div", { class: "dialog-body" });
        this.actions = h("div", { class: "actions" });
        this.element = h("dialog", { "aria-labelledby": "dialog-title" },
            h("h2", { id: "dialog-title" }, title), this.body, this.actions);
        this.closed = new Promise((resolve) => {
            this.element.addEventListener("close", () => {
                this.element.remove();
                if (this.back?.isConnected) this.back.focus();
                resolve();
            });
        });
        document.body.append(this.element);
        this.element.showModal();
    }

    show(body, actions) {
        this.body.replaceChildren(...[body].flat().filter(Boolean));
        this.actions.replaceChildren(...actions);
        (this.actions.querySelector("[data-first]") ?? this.actions.lastElementChild)?.focus();
    }

    close() {
        if (this.element.open) this.element.close();
    }
}

/// Asks; resolves to null, or to what the form's fields say. `fields` are elements with a name.
export async function confirm({ title, text, fields = [], yes, isDangerous = false }) {
    const dialog = new Dialog(title);
    let answer = null;
    dialog.show([...[text].flat().map((t) => h("p", {}, t)), ...fields], [
        button("Leave it", () => dialog.close(), { "data-first": isDangerous }),
        button(yes, () => {
            answer = {};
            for (const input of dialog.body.querySelectorAll("input")) {
                answer[input.name] = input.type === "checkbox" ? input.checked : input.value;
            }
            dialog.close();
        }, { class: isDangerous ? "danger" : "primary", "data-first": !isDangerous, "data-yes": true }),
    ]);
    await dialog.closed;
    return answer;
}

export function freshField() {
    return h("label", { class: "check" }, h("input", { type: "checkbox", name: "fresh" }),
        " Start fresh: forget the checkpoint, so that work already done is done again");
}
