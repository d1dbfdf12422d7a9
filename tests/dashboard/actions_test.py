"""What an operator does: find why jobs failed, requeue one, requeue a group, filter, pause."""
import unittest

from support import DashboardTest, wait_for


class Actions(DashboardTest):
    def tearDown(self):
        self.host.broken.touch()
        self.host.run("queues", "resume", "mail")
        for state in ("failed", "succeeded", "scheduled", "enqueued", "cancelled"):
            self.host.run("jobs", "delete", "--state", state)

    def test_requeues_one_job_from_its_page(self):
        job = self.host.enqueue({"fault": "timeout", "message": "no answer from the gateway"})
        self.host.wait_count("failed", 1)
        self.open(f"#/jobs/{job}")
        self.browser.sees("no answer from the gateway")
        self.browser.sees("shown::GatewayTimeout")
        self.host.broken.unlink()

        self.browser.press("Requeue")
        self.browser.press("Requeue", "dialog button.primary")

        self.browser.sees(f"Job {job} is requeued", "#say")
        self.browser.sees("succeeded", "h1")
        self.assertEqual(self.host.state(job), "succeeded")

    def test_requeues_only_one_group_of_failures(self):
        self.host.enqueue_many([{"fault": "timeout", "message": f"no answer {n}"} for n in range(30)] +
                               [{"fault": "key", "message": f"bad key {n}"} for n in range(12)])
        self.host.wait_count("failed", 42)
        self.open()
        self.browser.sees("shown::GatewayTimeout")
        self.browser.sees("shown::InvalidKey")
        self.host.broken.unlink()

        rows = self.browser.all("[data-key=failures] tbody tr")
        row = next(r for r in rows if "GatewayTimeout" in r.text)
        self.assertIn("30", row.text)
        row.find_element("css selector", "button").click()
        self.browser.sees("30 failed jobs of type shown.work", "dialog")
        self.browser.press("Requeue 30", "dialog button")
        self.browser.sees("30 jobs requeued", "dialog")
        self.browser.press("Close", "dialog button")

        self.host.wait_count("succeeded", 30)
        self.assertEqual(self.host.count("failed"), 12)
        wait_for(lambda: "GatewayTimeout" not in self.browser.text("[data-key=failures]"), "the group is gone without a reload")
        self.browser.sees("shown::InvalidKey")

    def test_filters_by_state_queue_tag_and_error(self):
        self.host.enqueue_many([{"fault": "timeout", "message": "far away"}] * 3)
        self.host.enqueue_many([{"fault": "key", "message": "near"}] * 2, queue="mail", tags=["red"])
        self.host.enqueue_many([{}] * 4)
        self.host.wait_count("failed", 5)
        self.host.wait_count("succeeded", 4)

        for hash, total in (("#/jobs", 9), ("#/jobs?state=failed", 5), ("#/jobs?state=failed&state=succeeded", 9),
                            ("#/jobs?queue=mail", 2), ("#/jobs?tag=red", 2), ("#/jobs?error=far", 3),
                            ("#/jobs?error=shown%3A%3AInvalidKey", 2), ("#/jobs?state=failed&since=1h", 5)):
            with self.subTest(hash):
                self.open(hash)
                self.browser.sees(f"{total} ", ".total")
                wait_for(lambda: len(self.browser.all("tbody tr[data-key]")) == total, f"{total} rows")

    def test_a_filter_that_is_no_filter_is_explained(self):
        self.open("#/jobs?since=yesterday")
        self.browser.sees("since", ".notice.bad")

    def test_the_form_of_filters_goes_into_the_address(self):
        self.host.enqueue_many([{}] * 2)
        self.host.wait_count("succeeded", 2)
        self.open("#/jobs")
        self.browser.one("input[data-state=succeeded]").click()
        wait_for(lambda: "state=succeeded" in self.browser.driver.current_url, "the address has the state")
        field = self.browser.one("input[name=type]")
        field.send_keys("shown.work\n")
        wait_for(lambda: "type=shown.work" in self.browser.driver.current_url, "the address has the type")
        self.browser.sees("2 succeeded jobs of type", ".total")
        self.browser.driver.back()
        self.browser.sees("2 succeeded jobs", ".total")

    def test_requeues_what_was_selected_and_nothing_else(self):
        self.host.enqueue_many([{"fault": "timeout", "message": "x"}] * 5)
        self.host.wait_count("failed", 5)
        self.host.broken.unlink()
        self.open("#/jobs?state=failed")
        wait_for(lambda: len(self.browser.all("td.check input")) == 5, "five rows")
        for box in self.browser.all("td.check input")[:2]:
            box.click()
        self.browser.press("Requeue 2 selected")
        self.browser.press("Requeue 2", "dialog button")
        self.browser.sees("2 jobs requeued", "dialog")
        self.host.wait_count("succeeded", 2)
        self.assertEqual(self.host.count("failed"), 3)

    def test_deleting_many_wants_a_word(self):
        self.host.enqueue_many([{}] * 3)
        self.host.wait_count("succeeded", 3)
        self.open("#/jobs?state=succeeded")
        self.browser.press("Delete all 3 that match")
        self.browser.sees("gone for good", "dialog")
        self.assertFalse(self.browser.one("dialog [data-yes]").is_enabled())
        self.browser.one("dialog input").send_keys("delete")
        self.browser.press("Delete 3", "dialog button")
        self.browser.sees("3 jobs deleted", "dialog")
        self.assertEqual(self.host.count("succeeded"), 0)

    def test_walks_through_pages_and_back(self):
        self.host.enqueue_many([{}] * 70)
        self.host.wait_count("succeeded", 70)
        self.open("#/jobs?state=succeeded")
        wait_for(lambda: len(self.browser.all("tbody tr[data-key]")) == 50, "a full page")
        self.browser.one("[data-next]").click()
        wait_for(lambda: len(self.browser.all("tbody tr[data-key]")) == 20, "the rest")
        self.browser.press("Back")
        wait_for(lambda: len(self.browser.all("tbody tr[data-key]")) == 50, "the first page again")

    def test_pauses_and_resumes_a_queue(self):
        self.host.enqueue({}, "--queue", "mail")
        self.host.wait_count("succeeded", 1)
        self.open("#/queues")
        self.browser.one("tr[data-key=mail] .do button").click()
        self.browser.press("Pause", "dialog button.primary")
        self.browser.sees("Paused", "tr[data-key=mail]")

        job = self.host.enqueue({}, "--queue", "mail")
        self.open(f"#/jobs/{job}")
        self.browser.sees("paused", "[data-key=why]")
        self.open()
        self.browser.sees("paused", "[data-key=warnings]")

        self.open("#/queues")
        self.browser.one("tr[data-key=mail] .do button").click()
        self.browser.press("Resume", "dialog button.primary")
        self.host.wait_count("succeeded", 2)

    def test_finds_a_job_by_its_id(self):
        job = self.host.enqueue({})
        self.open()
        self.browser.one("#find-id").send_keys(job + "\n")
        self.browser.sees(f"Job {job}", "h1")

    def test_says_that_there_is_no_such_job(self):
        self.open("#/jobs/999999")
        self.browser.sees("999999", ".notice.bad")

    def test_cancels_a_job_that_waits(self):
        job = self.host.enqueue({}, "--delay", "1h")
        self.open(f"#/jobs/{job}")
        self.browser.press("Cancel")
        self.browser.press("Cancel the job", "dialog button")
        self.browser.sees("cancelled", "h1")
        self.assertEqual(self.host.state(job), "cancelled")


if __name__ == "__main__":
    unittest.main()
