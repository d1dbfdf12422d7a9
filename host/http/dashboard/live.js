// The stream of overviews: keeps one connection while the tab is visible, notices when it is gone,
// and tells everybody who asked.

const SILENCE = 9000;   // the host sends every 2 s
const RETRY = 3000;
const HIDDEN = 20000;   // a hidden tab gives its connection back too

export class Live {
    constructor({ onOverview, onState, onLoginNeeded }) {
        Object.assign(this, { onOverview, onState, onLoginNeeded });
        this.source = null;
        this.overview = null;
        this.heardAt = 0;
        this.print = "";
        this.isStarted = false;
        this.hiddenTimer = null;
        document.addEventListener("visibilitychange", () => this.seen());
        // A page kept for the back button must not keep its connection: browsers have six for each host.
        window.addEventListener("pagehide", () => this.close());
        window.addEventListener("pageshow", (event) => event.persisted && this.isStarted && this.open());
        setInterval(() => this.watch(), 1000);
    }

    start() {
        this.isStarted = true;
        this.open();
    }

    stop() {
        this.isStarted = false;
        this.close();
    }

    open() {
        this.close();
        this.openedAt = Date.now();
        this.source = new EventSource("/api/v1/events");
        this.source.addEventListener("overview", (event) => this.hear(event.data));
        this.source.onerror = () => {
            this.onState("lost");
            if (this.source?.readyState === EventSource.CLOSED) this.refused();
        };
    }

    close() {
        this.source?.close();
        this.source = null;
    }

    hear(data) {
        this.heardAt = Date.now();
        this.overview = JSON.parse(data);
        const print = fingerprint(this.overview);
        const isChanged = print !== this.print;
        this.print = print;
        this.onState("live");
        this.onOverview(this.overview, isChanged);
    }

    /// The host answered, but not with a stream: it wants a login, or it is going away.
    async refused() {
        this.close();
        const session = await fetch("/api/v1/session").then((r) => r.json()).catch(() => null);
        if (session?.login_needed && !session.logged_in) this.onLoginNeeded();
    }

    watch() {
        if (!this.isStarted || document.visibilityState !== "visible") return;
        const quiet = Date.now() - Math.max(this.heardAt, this.openedAt);
        if (this.source === null ? quiet > RETRY : quiet > SILENCE) {
            this.onState("lost");
            this.open();
        }
    }

    seen() {
        clearTimeout(this.hiddenTimer);
        if (!this.isStarted) return;
        if (document.visibilityState === "hidden") {
            this.hiddenTimer = setTimeout(() => this.close(), HIDDEN);
        } else if (this.source === null) {
            this.open();
        }
    }

    /// Milliseconds of the host's clock: ages are right even where the reader's clock is not.
    now() {
        if (!this.overview) return Date.now();
        return new Date(this.overview.now).getTime() + Date.now() - this.heardAt;
    }
}

/// What differs when jobs moved; ages and latencies change all the time and do not count.
function fingerprint({ jobs, last_hour: lastHour, queues, live_nodes: nodes, warnings }) {
    return JSON.stringify([jobs, lastHour, nodes, warnings,
        queues.map((q) => [q.name, q.waiting, q.processing, q.failed, q.nodes, q.paused])]);
}
