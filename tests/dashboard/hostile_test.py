"""Whatever a job brings is shown as text, on every page, and nothing of it runs."""
import json
import unittest

from support import DashboardTest, HOSTILE, HOSTILE_SHOWN, wait_for


class Hostile(DashboardTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.job = cls.host.enqueue({"fault": "always", "message": HOSTILE, "log": HOSTILE,
                                    "checkpoint": json.dumps({"note": HOSTILE, "big": "N"}).replace('"N"', "12345678901234567890.10")},
                                   "--tag", "<b>tag</b>\u202e")
        cls.host.wait_count("failed", 1)
        cls.type = "odd/type:1.."  # the oddest that a name may be
        cls.host.enqueue({}, "--queue", "odd/queue", type=cls.type)

    def tearDown(self):
        self.assertNotIn("owned", self.browser.driver.title)
        self.assertEqual(self.browser.all("main script, main img, main b b, main i, main u"), [])
        self.assertEqual(self.browser.complaints(), [])

    def test_as_text_on_the_job_page(self):
        self.open(f"#/jobs/{self.job}")
        for part in ("errors", "timeline", "input", "log", "dead", "checkpoint"):
            with self.subTest(part):
                self.browser.sees("<script>document.title=", f"[data-key={part}]")
        self.browser.sees("<b>tag</b>\u27e8U+202E\u27e9", "[data-key=facts]")
        self.browser.sees("U+202E", "[data-key=log]")
        self.browser.sees("12345678901234567890.10", "[data-key=checkpoint]")

    def test_as_text_in_the_lists(self):
        for hash, text in (("#/", HOSTILE_SHOWN), ("#/failures", HOSTILE_SHOWN), ("#/jobs?state=failed", HOSTILE_SHOWN),
                           ("#/jobs", self.type), ("#/queues", "odd/queue"), ("#/types", self.type),
                           ("#/deadletter", HOSTILE_SHOWN)):
            with self.subTest(hash):
                self.open(hash)
                self.browser.sees(text)

    def test_a_name_with_slashes_has_its_page(self):
        self.open("#/types")
        self.browser.one(f"tr[data-key='{self.type}'] a.name").click()
        self.browser.sees("odd/type:1..", "h1")
        self.browser.complaints()  # no node has the type: 404
        self.open("#/types/%3Ci%3Etype%3C%2Fi%3E")
        self.browser.sees("<i>type</i>", "h1")
        self.browser.complaints()

    def test_as_text_in_filters_and_titles(self):
        self.open("#/jobs?tag=%3Cb%3Etag%3C%2Fb%3E%E2%80%AE&error=%3Cscript%3E")
        self.browser.sees("<b>tag</b>\u27e8U+202E\u27e9", ".total")
        self.open("#/jobs/%3Cscript%3E")
        self.browser.one(".notice.bad")
        self.browser.complaints()  # the 404 or 400 itself

    def test_no_script_of_the_page_can_be_added(self):
        self.open()
        self.browser.script("const s = document.createElement('script'); s.textContent = \"document.title='owned'\"; document.body.append(s)")
        self.browser.sees("", "body")
        self.assertNotIn("owned", self.browser.driver.title)
        self.browser.complaints()

    def test_a_large_input_is_shown_on_request_and_in_parts(self):
        text = json.dumps({"big": "x" * 700_000, "end": "the very end"})
        file = self.host.folder / "big.json"
        file.write_text(text)
        job = self.host.run("enqueue", "shown.work", "--input", f"@{file}", "--delay", "1h")["id"]
        self.open(f"#/jobs/{job}")
        self.assertEqual(self.browser.all("pre.input"), [])
        self.browser.press("Show the input")
        self.browser.sees("The first 100.0 KiB", "[data-key=input]")
        self.assertLess(len(self.browser.text("pre.input")), 110_000)
        self.browser.press("Show all")
        self.browser.sees("the very end", "pre.input")
        box = self.browser.one("pre.input").size
        self.assertLess(box["height"], 600)

    def test_a_deep_input_keeps_its_digits_and_its_shape(self):
        text = "[" * 200 + "1.00000000000000000000001" + "]" * 200
        file = self.host.folder / "deep.json"
        file.write_text(text)
        job = self.host.run("enqueue", "shown.work", "--input", f"@{file}", "--delay", "1h")["id"]
        self.open(f"#/jobs/{job}")
        self.browser.sees("1.00000000000000000000001", "pre.input")
        wait_for(lambda: "".join(self.browser.text("pre.input").split()) == text, "the same characters")


if __name__ == "__main__":
    unittest.main()
