// One sentence for three in the morning: does work flow?
import { count, duration, plural } from "./text.js";

const LATE = 300;  // seconds a due job waits before somebody should look

export function verdict(o) {
    if (!o.store.ok) return { tone: "bad", text: o.store.text || "The store does not answer: no job can start or finish." };
    if (o.live_nodes === 0) return { tone: "bad", text: "No node is live: nothing runs until one is started." };
    const hour = o.last_hour;
    const due = o.queues.reduce((sum, q) => sum + q.due, 0);
    const oldest = Math.max(0, ...o.queues.map((q) => q.oldest_due ?? 0));
    const worked = `In the last hour ${plural(hour.succeeded, "job")} succeeded and ${count(hour.failed)} failed.`;
    if (due > 0 && oldest > LATE && o.jobs.processing === 0) {
        return { tone: "bad", text: `Work stands still: ${count(due)} due, the oldest for ${duration(oldest)}, and none is processing. ${worked}` };
    }
    if (oldest > LATE) {
        return { tone: "warn", text: `Work flows, but it is behind: ${count(due)} due, the oldest for ${duration(oldest)}. ${worked}` };
    }
    if (hour.failed > 0 && hour.failed >= hour.succeeded) {
        return { tone: "bad", text: `Most jobs fail. ${worked}` };
    }
    if (hour.failed > 0) return { tone: "warn", text: `Work flows. ${worked}` };
    if (hour.succeeded === 0 && o.jobs.processing === 0) {
        return { tone: "good", text: due > 0 ? `${plural(due, "job")} due, none processing yet.` : "All quiet: nothing is due, and nothing failed in the last hour." };
    }
    return { tone: "good", text: `Work flows. ${worked}` };
}
