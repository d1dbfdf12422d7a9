"""Pages follow the store without a reload, and say so when they cannot."""
import unittest

from support import DashboardTest, wait_for


class Live(DashboardTest):
    def count_of(self, name):
        return self.browser.text(f".tile-{name} .tile-count")

    def test_the_overview_counts_without_a_reload(self):
        self.open()
        self.browser.sees("live", "#live-text")
        self.browser.script("window.isSamePage = true")
        before = int(self.count_of("succeeded").replace(",", ""))
        self.host.enqueue_many([{}] * 7)
        wait_for(lambda: self.count_of("succeeded") == str(before + 7), "the count grows by seven")
        self.assertTrue(self.browser.script("return window.isSamePage"))

    def test_a_list_grows_and_keeps_focus_selection_and_open_details(self):
        self.host.enqueue_many([{"fault": "timeout", "message": "first"}] * 2)
        self.host.wait_count("failed", 2)
        self.open("#/jobs?state=failed")
        wait_for(lambda: len(self.browser.all("tbody tr[data-key]")) >= 2, "two rows")
        rows = len(self.browser.all("tbody tr[data-key]"))
        box = self.browser.all("td.check input")[1]
        box.click()
        self.host.enqueue({"fault": "timeout", "message": "second"})
        wait_for(lambda: len(self.browser.all("tbody tr[data-key]")) == rows + 1, "a third row")
        self.assertTrue(box.is_selected())
        self.assertTrue(self.browser.script("return document.activeElement === arguments[0]", box))

    def test_a_job_page_follows_its_job_and_leaves_details_open(self):
        job = self.host.enqueue({"ms": 6000, "progress": "reading", "log": "a line"})
        self.open(f"#/jobs/{job}")
        self.browser.sees("40 % reading")
        self.browser.sees("succeeded", "h1")

    def test_says_when_the_host_is_gone_and_comes_back_by_itself(self):
        self.open()
        self.browser.sees("live", "#live-text")
        port = self.host.port
        self.host.stop()
        self.browser.sees("reconnecting", "#live-text")
        self.browser.sees("may be old", "#stale")
        self.host.start(port)
        self.browser.sees("live", "#live-text")
        wait_for(lambda: not self.browser.all("#stale")[0].is_displayed(), "the warning goes")


if __name__ == "__main__":
    unittest.main()
