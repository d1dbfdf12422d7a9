// What can be done with one job: asked, done, said.
import { path, post, remove } from "./api.js";
import { confirm, freshField, say } from "./dialog.js";

const ACTIONS = {
    requeue: {
        title: (id) => `Requeue job ${id}?`,
        text: "It starts again now, with its attempts counted from 0. Its errors, log and dead-letter runs so far are kept.",
        yes: "Requeue", fields: () => [freshField()],
        done: (id) => `Job ${id} is requeued.`,
        call: (id, { fresh }) => post(path("jobs", id, "requeue"), { fresh }),
    },
    cancel: {
        title: (id) => `Cancel job ${id}?`,
        text: "A job that waits is cancelled at once. A running one is asked to stop, and ends when it looks.",
        yes: "Cancel the job",
        done: (id, outcome) => outcome === "requested"
            ? `Job ${id} is asked to stop; it ends when it looks at the request.` : `Job ${id} is cancelled.`,
        call: (id) => post(path("jobs", id, "cancel")),
    },
    delete: {
        title: (id) => `Delete job ${id}?`,
        text: "The job, its input, errors, log and dead-letter runs are gone for good.",
        yes: "Delete for good", isDangerous: true,
        done: (id) => `Job ${id} is deleted.`,
        call: (id) => remove(path("jobs", id)),
    },
};

/// Resolves to whether something happened.
export async function actOnJob(name, id) {
    const action = ACTIONS[name];
    const answer = await confirm({ title: action.title(id), text: action.text, yes: action.yes,
        fields: action.fields?.(), isDangerous: action.isDangerous });
    if (answer === null) return false;
    try {
        const result = await action.call(id, answer);
        say(action.done(id, result?.outcome));
        return true;
    } catch (error) {
        say(`Job ${id}: ${error.message}`);
        return false;
    }
}

/// Runs a dead-letter run again; when the host says why not, offers to insist.
export async function rerun(run) {
    const answer = await confirm({
        title: `Run ${run.kind} \u201c${run.name}\u201d again?`,
        text: `The ${run.kind} is called again for job ${run.job_id}, although it may have had an effect already.`,
        yes: "Run again" });
    if (answer === null) return false;
    return call(false);

    async function call(force) {
        try {
            const made = await post(path("deadletter", run.id, "rerun"), force ? { force } : {});
            say(`Dead-letter run ${made.id} is owed and starts soon.${made.warning ? " " + made.warning : ""}`);
            return true;
        } catch (error) {
            if (error.status !== 409 || force) {
                say(error.message);
                return false;
            }
            const insist = await confirm({ title: "Run it all the same?", text: error.message,
                yes: "Run it all the same", isDangerous: true });
            return insist !== null && call(true);
        }
    }
}
