"""With a token nothing is shown before the login, and everything after it."""
import unittest

from support import DashboardTest, wait_for


class Login(DashboardTest):
    token = "correct horse battery staple"

    def log_in(self, token):
        field = self.browser.one("#token")
        field.clear()
        field.send_keys(token + "\n")

    def setUp(self):
        self.browser.driver.get("about:blank")
        self.browser.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})

    def test_asks_first_and_goes_on_to_the_page_that_was_wanted(self):
        self.open("#/nodes")
        self.browser.sees("Log in", "h1")
        self.assertNotIn("shop-1", self.browser.text("main"))
        self.log_in("wrong")
        self.browser.sees("not the token")
        self.log_in(self.token)
        self.browser.sees("shop-1", "main")
        self.assertEqual(self.browser.script("return document.cookie"), "")

    def test_logging_out_closes_the_door(self):
        self.open()
        self.log_in(self.token)
        self.browser.one("[data-key=tiles]")
        self.browser.one("#logout").click()
        self.browser.sees("Log in", "h1")
        self.open("#/jobs")
        self.browser.sees("Log in", "h1")

    def test_actions_work_after_the_login(self):
        job = self.host.enqueue({}, "--delay", "1h")
        self.open(f"#/jobs/{job}")
        self.log_in(self.token)
        self.browser.press("Delete")
        self.browser.press("Delete for good", "dialog button")
        self.browser.sees("is deleted", "#say")
        wait_for(lambda: "not in the store any more" in self.browser.text("main"), "the page says that it is gone")


if __name__ == "__main__":
    unittest.main()
