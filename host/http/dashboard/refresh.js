// When a page fetches again: never twice at a time, never more often than every few seconds, and
// only while somebody can see it.

const SHORTEST = 3000;

export class Refresher {
    constructor(fetchAgain) {
        this.fetchAgain = fetchAgain;
        this.last = 0;
        this.timer = null;
        this.isRunning = false;
        this.isWantedAgain = false;
        this.isStopped = false;
    }

    /// Soon, keeping the distance.
    want() {
        if (this.isStopped || this.timer !== null) return;
        if (this.isRunning) {
            this.isWantedAgain = true;
            return;
        }
        const wait = Math.max(0, this.last + SHORTEST - Date.now());
        this.timer = setTimeout(() => {
            this.timer = null;
            if (document.visibilityState === "visible") this.now();
            else this.isWantedAgain = true;
        }, wait);
    }

    /// At once: what the reader asked for.
    async now() {
        clearTimeout(this.timer);
        this.timer = null;
        if (this.isStopped) return;
        if (this.isRunning) {
            this.isWantedAgain = true;
            return;
        }
        this.isRunning = true;
        this.isWantedAgain = false;
        try {
            await this.fetchAgain();
        } finally {
            this.isRunning = false;
            this.last = Date.now();
        }
        if (this.isWantedAgain) this.want();
    }

    /// The tab is seen again.
    resume() {
        if (this.isWantedAgain || Date.now() - this.last > SHORTEST) this.want();
    }

    stop() {
        this.isStopped = true;
        clearTimeout(this.timer);
    }
}
