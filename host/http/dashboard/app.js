// Starts the dashboard: session, routes, the live stream, and one page at a time.
import { get, onLoginNeeded, remove } from "./api.js";
import { h, morph } from "./dom.js";
import { Live } from "./live.js";
import { problem } from "./parts.js";
import { Refresher } from "./refresh.js";
import { link, parse } from "./route.js";
import { localTime, visible } from "./text.js";
import { wireTheme } from "./theme_button.js";
import { deadLetterPage } from "./page_deadletter.js";
import { failuresPage } from "./page_failures.js";
import { jobPage } from "./page_job.js";
import { jobsPage } from "./page_jobs.js";
import { loginPage } from "./page_login.js";
import { queuesPage, typesPage } from "./page_names.js";
import { nodesPage } from "./page_nodes.js";
import { overviewPage } from "./page_overview.js";
import { typePage } from "./page_type.js";

const ROUTES = {
    "": overviewPage, jobs: jobsPage, failures: failuresPage, queues: queuesPage, types: typesPage,
    nodes: nodesPage, deadletter: deadLetterPage,
};
const DETAILS = { jobs: jobPage, types: typePage };
const SLOWEST = 15000;  // what no count tells of (a beat, an age) is fetched again this often

const main = document.getElementById("main");
let session = null;
let current = null;

const live = new Live({ onOverview: heard, onState: showState, onLoginNeeded: showLogin });
onLoginNeeded(showLogin);

function pageFor({ parts }) {
    const make = parts.length > 1 ? DETAILS[parts[0]] : ROUTES[parts[0] ?? ""];
    return make ?? (() => ({ title: "Not found", load: async () => {},
        view: () => h("p", {}, "There is no such page. ", h("a", { href: link("") }, "Go to the overview")) }));
}

/// Leaves the page that is shown and opens the one of the address.
function go(isFirst = false) {
    if (location.hash === "#main") return;
    const route = parse(location.hash);
    open(pageFor(route), route, isFirst);
}

function open(make, route, isFirst = false) {
    current?.leave();
    const stop = new AbortController();
    const mine = { stop, error: null, isLoaded: false };
    mine.leave = () => {
        stop.abort();
        mine.refresher.stop();
        clearInterval(mine.slow);
    };
    const app = {
        signal: stop.signal, live, session,
        paint: () => paint(mine),
        reload: () => mine.refresher.now(),
        loggedIn: () => start(),
    };
    mine.page = make(app, route);
    mine.refresher = new Refresher(() => load(mine));
    mine.slow = setInterval(() => mine.isLoaded && mine.refresher.want(), mine.page.interval ?? SLOWEST);
    current = mine;
    document.title = `${mine.page.title} \u00b7 jobhost`;
    markNav(route);
    main.replaceChildren(h("p", { class: "loading" }, "Loading\u2026"));
    if (!isFirst) main.focus({ preventScroll: true });
    window.scrollTo(0, 0);
    mine.refresher.now();
}

async function load(mine) {
    try {
        await mine.page.load();
        mine.error = null;
        mine.isLoaded = true;
    } catch (error) {
        if (error.name === "AbortError" || error.status === 401) return;
        mine.error = error;
        if (error.status === undefined) console.error(error);
    }
    paint(mine);
}

function paint(mine) {
    if (mine !== current || (!mine.isLoaded && mine.error === null)) return;
    const next = h("main", { id: "main", tabindex: "-1", class: mine.page.className ?? null },
        mine.error ? h("div", { "data-key": "problem" }, problem(mine.error)) : null,
        mine.isLoaded ? mine.page.view() : null);
    morph(main, next);
}

function markNav({ parts }) {
    for (const a of document.querySelectorAll("#nav a")) {
        const isHere = parse(a.hash).parts[0] === parts[0];
        if (isHere) a.setAttribute("aria-current", "page");
        else a.removeAttribute("aria-current");
    }
}

function heard(overview, isChanged) {
    if (!current) return;
    if (isChanged) current.refresher.want();
    if (current.page.isLive) paint(current);
}

function showState(state) {
    const isLive = state === "live";
    document.documentElement.classList.toggle("lost", !isLive);
    const text = document.getElementById("live-text");
    const word = isLive ? "live" : "reconnecting\u2026";
    if (text.textContent !== word) text.textContent = word;
    document.getElementById("live").classList.toggle("is-live", isLive);
    const stale = document.getElementById("stale");
    stale.hidden = isLive || live.heardAt === 0;
    if (!stale.hidden) {
        stale.textContent = `The host has not answered since ${localTime(live.heardAt).slice(11)}. What you see may be old.`;
    }
}

function showLogin() {
    live.stop();
    document.getElementById("live-text").textContent = "logged out";
    document.getElementById("logout").hidden = true;
    if (current?.page.isLogin) return;
    open(loginPage, { parts: ["login"], query: new URLSearchParams() }, true);
}

async function start() {
    try {
        session = await get("/session");
    } catch (error) {
        main.replaceChildren(problem(error));
        setTimeout(start, 3000);
        return;
    }
    document.getElementById("foot").textContent =
        `${visible(session.service)} \u00b7 node ${visible(session.node)} \u00b7 jobhost ${visible(session.version)}`;
    if (session.login_needed && !session.logged_in) return showLogin();
    document.getElementById("logout").hidden = !session.login_needed;
    live.start();
    go(true);
}

window.addEventListener("hashchange", () => !current?.page.isLogin && go());
document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") current?.refresher.resume();
});
document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
});
document.getElementById("find").addEventListener("submit", (event) => {
    event.preventDefault();
    const input = document.getElementById("find-id");
    const id = input.value.trim().replace(/^#/, "");
    if (/^[0-9]+$/.test(id)) {
        input.value = "";
        location.hash = `#/jobs/${id}`;
    }
});
document.getElementById("logout").addEventListener("click", async () => {
    await remove("/session").catch(() => {});
    showLogin();
});
wireTheme(document.getElementById("theme"));
start();
