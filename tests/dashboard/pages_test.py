"""Every page in both themes, on a phone and on a desk: readable, reachable, without a complaint of the browser."""
import re
import unittest

from selenium.webdriver.common.keys import Keys

from support import DashboardTest, wait_for

# Contrast of every text with what is behind it (WCAG 2), worst first.
CONTRAST = r"""
const luminance = (c) => { const f = c.map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
const parse = (s) => { const n = s.match(/[\d.]+/g).map(Number); return n.length > 3 ? n : [...n.slice(0, 3), 1]; };
const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0.99) return c; } return [255, 255, 255, 1]; };
const out = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const e = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || !e.checkVisibility({ opacityProperty: true }) || e.closest("button:disabled, .hidden, .say, .node-dead, .node-stopped")) continue;
  const a = luminance(parse(getComputedStyle(e).color).slice(0, 3)), b = luminance(behind(e).slice(0, 3));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) out.push(ratio.toFixed(2) + " " + e.className + ": " + walker.currentNode.data.trim().slice(0, 40));
}
return out;
"""


class Pages(DashboardTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.failed = cls.host.enqueue({"fault": "timeout", "log": "a line", "checkpoint": "[1,2]",
                                       "message": "no answer from https://gateway.example/a/very/long/path/" + "x" * 300})
        cls.host.enqueue_many([{}] * 5)
        cls.host.enqueue({}, type="nobody.knows")
        cls.host.wait_count("failed", 1)
        cls.pages = ["#/", "#/jobs", "#/jobs?state=failed", f"#/jobs/{cls.failed}", "#/failures", "#/queues", "#/types",
                     "#/types/shown.work", "#/types/nobody.knows", "#/nodes", "#/deadletter"]

    def setUp(self):
        self.browser.size(1280, 900)
        self.browser.scheme("light")

    def test_the_browser_has_nothing_to_complain_about(self):
        self.browser.complaints()
        for page in self.pages:
            with self.subTest(page):
                self.open(page)
                self.browser.one("#live.is-live")
                self.assertEqual([c for c in self.browser.complaints() if "404" not in c or "nobody" not in page], [])

    def test_a_phone_never_scrolls_sideways(self):
        self.browser.size(360)
        for page in self.pages:
            with self.subTest(page):
                self.open(page)
                self.assertLessEqual(self.browser.script("return document.documentElement.scrollWidth"), 360)

    def test_text_has_contrast_in_both_themes(self):
        for scheme in ("light", "dark"):
            self.browser.scheme(scheme)
            for page in self.pages:
                with self.subTest(f"{scheme} {page}"):
                    self.open(page)
                    self.browser.one("#live.is-live")
                    wait_for(lambda: self.browser.script("return getComputedStyle(document.querySelector('main')).opacity") == "1", "not stale")
                    self.assertEqual(self.browser.script(CONTRAST), [])

    def test_the_theme_follows_the_system_until_chosen_and_is_remembered(self):
        background = lambda: self.browser.script("return getComputedStyle(document.body).backgroundColor")
        self.open()
        light = background()
        self.browser.scheme("dark")
        wait_for(lambda: background() != light, "dark as the system")
        self.browser.scheme("light")
        self.browser.press("Theme: system")
        wait_for(lambda: background() != light, "dark as chosen")
        self.open()
        self.assertNotEqual(background(), light)
        self.browser.press("Theme: dark")
        wait_for(lambda: background() == light, "light as chosen")
        self.browser.press("Theme: light")

    def test_the_keyboard_reaches_the_content_and_the_buttons(self):
        self.open(f"#/jobs/{self.failed}")
        self.browser.one("[data-do=requeue]")
        body = self.browser.driver.switch_to.active_element
        names = []
        for _ in range(40):
            body.send_keys(Keys.TAB)
            body = self.browser.driver.switch_to.active_element
            names.append(body.text or body.get_attribute("id") or body.get_attribute("class") or "")
            outline = self.browser.script("return getComputedStyle(arguments[0]).outlineStyle", body)
            self.assertEqual(outline, "solid", f"focus cannot be seen on {names[-1]}")
            if any(n.startswith("Delete") for n in names):
                break
        self.assertTrue(any(n.startswith("Requeue") for n in names), names)
        self.assertTrue(any(n.startswith("Skip") for n in names[:1]), names)

    def test_a_dialog_gives_the_focus_back(self):
        self.open(f"#/jobs/{self.failed}")
        button = self.browser.button("Requeue")
        button.send_keys(Keys.ENTER)
        self.browser.one("dialog")
        self.browser.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        wait_for(lambda: not self.browser.all("dialog"), "the dialog closes")
        self.assertEqual(self.browser.driver.switch_to.active_element, button)
        self.assertEqual(self.host.state(self.failed), "failed")

    def test_every_field_and_button_has_a_name(self):
        for page in self.pages:
            with self.subTest(page):
                self.open(page)
                nameless = self.browser.script("""return Array.from(document.querySelectorAll("button, input, select, a, svg[role=img]"))
                    .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length))
                    .map((e) => e.outerHTML.slice(0, 100))""")
                self.assertEqual(nameless, [])

    def test_warns_of_jobs_that_no_node_can_run(self):
        self.open()
        self.browser.sees("nobody.knows", "[data-key=warnings]")

    def test_the_page_of_a_type_has_policy_and_timetable(self):
        self.open("#/types/shown.work")
        self.browser.sees("max_attempts", "[data-key=policy]")
        self.browser.sees("shown::InvalidKey", "[data-key=policy]")
        self.browser.one("[data-key=timetable]")

    def test_a_node_reads_its_configuration_again(self):
        self.open("#/nodes")
        self.browser.sees("shown 1.0.0")
        self.browser.press("Reload")
        self.browser.press("Reload", "dialog button.primary")
        self.browser.sees("reloaded", "dialog")
        self.browser.press("Close", "dialog button")

    def test_nothing_comes_from_outside(self):
        self.open()
        self.browser.one("#live.is-live")
        names = self.browser.script("return performance.getEntriesByType('resource').map((e) => e.name)")
        self.assertTrue(all(re.match(re.escape(self.host.url), name) for name in names), names)


if __name__ == "__main__":
    unittest.main()
