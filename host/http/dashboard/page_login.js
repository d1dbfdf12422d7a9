// Asks for the token of http.token_file; the host answers with a cookie that no script can read.
import { post } from "./api.js";
import { h } from "./dom.js";

export function loginPage(app) {
    let message = "";
    async function submit(event) {
        event.preventDefault();
        const input = event.currentTarget.querySelector("input[type=password]");
        try {
            await post("/session", { token: input.value.trim() });
        } catch (error) {
            message = error.status === 401 ? "That is not the token." : error.message;
            input.select();
            app.paint();
            return;
        }
        input.value = "";
        app.loggedIn();
    }
    return {
        title: "Log in", isLogin: true, interval: 3600000,
        load: async () => {},
        view: () => h("form", { class: "login", onsubmit: submit, action: "/", method: "post" },
            h("h1", {}, "Log in"),
            h("p", {}, "The token is in the file that ", h("code", {}, "http.token_file"), " of the configuration names."),
            h("label", { for: "token" }, "Token"),
            h("input", { id: "token", type: "password", autocomplete: "current-password", required: true, autofocus: true }),
            h("button", { type: "submit", class: "primary" }, "Log in"),
            h("p", { class: "bad-text", role: "alert" }, message)),
    };
}
