"""The dashboard's pure functions, as the browser has them."""
import unittest

from support import DashboardTest


class Units(DashboardTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser.open(cls.host.url)

    def call(self, module, function, *arguments):
        return self.browser.driver.execute_async_script(
            "const done = arguments[3]; import('/assets/' + arguments[0]).then((m) => done(m[arguments[1]](...arguments[2])))",
            module, function, list(arguments))

    def test_json_is_laid_out_without_a_change_to_its_values(self):
        for text, lines in (('{"a":1.10,"a":12345678901234567890,"b":[]}', '{\n  "a": 1.10,\n  "a": 12345678901234567890,\n  "b": []\n}'),
                            ('[1,{"x":"a,b:{}\\\\\\""}]', '[\n  1,\n  {\n    "x": "a,b:{}\\\\\\""\n  }\n]'),
                            ('"only"', '"only"'), ("", ""), ('{ }', '{}'), ("-1e400", "-1e400"), ('{"cut":"of', '{\n  "cut": "of')):
            with self.subTest(text):
                self.assertEqual(self.call("json_text.js", "layOut", text), lines)

    def test_depth_does_not_overflow_the_stack(self):
        text = self.call("json_text.js", "layOut", "[" * 200_000)
        self.assertEqual(text.count("["), 200_000)

    def test_a_member_is_found_as_it_stands(self):
        text = '{"a":{"checkpoint":1},"s":"\\"checkpoint\\":2","checkpoint":{"n":1.0,"m":[1,{"x":"}"}]},"z":0}'
        self.assertEqual(self.call("json_text.js", "memberText", text, "checkpoint"), '{"n":1.0,"m":[1,{"x":"}"}]}')
        self.assertEqual(self.call("json_text.js", "memberText", '{"checkpoint":7}', "checkpoint"), "7")
        self.assertIsNone(self.call("json_text.js", "memberText", '{"a":1}', "checkpoint"))

    def test_odd_characters_have_names(self):
        for text, shown in (("a\u202eb", "a\u27e8U+202E\u27e9b"), ("\u0000", "\u27e8U+0000\u27e9"), ("a\tb\nc", "a\tb\nc"),
                            ("ol\u00e1 \U0001f600", "ol\u00e1 \U0001f600"), ("\u200b", "\u27e8U+200B\u27e9")):
            with self.subTest(repr(text)):
                self.assertEqual(self.call("text.js", "visible", text), shown)

    def test_long_text_becomes_brief(self):
        self.assertEqual(self.call("text.js", "brief", "a\n b", 10), "a b")
        self.assertEqual(self.call("text.js", "brief", "x" * 1_000_000, 10), "x" * 10 + "\u2026")

    def test_durations_read_well(self):
        for seconds, text in ((0, "0 s"), (0.0008, "800 \u00b5s"), (0.0123, "12 ms"), (1.44, "1.4 s"), (59.99, "1 min"), (65, "1 min 5 s"),
                              (3600, "1 h"), (3661, "1 h 1 min"), (35999, "9 h 59 min"), (90000, "1 d 1 h"), (31536000, "365 d")):
            with self.subTest(seconds):
                self.assertEqual(self.call("text.js", "duration", seconds), text)

    def test_addresses_go_both_ways(self):
        self.assertEqual(self.call("route.js", "link", "jobs", {"state": ["failed", "expired"], "queue": "", "tag": "a&b #"}),
                         "#/jobs?state=failed&state=expired&tag=a%26b+%23")
        self.assertEqual(self.call("route.js", "parse", "#/types/a%2Fb?queue=x")["parts"], ["types", "a/b"])
        self.assertEqual(self.call("route.js", "parse", "#/jobs/%zz")["parts"], ["jobs", "%zz"])

    def test_the_verdict_says_what_matters_most(self):
        quiet = {"store": {"ok": True, "text": ""}, "live_nodes": 1, "last_hour": {"enqueued": 0, "succeeded": 0, "failed": 0, "retried": 0},
                 "jobs": {"processing": 0}, "queues": []}
        late = [{"due": 5, "oldest_due": 4000}]
        for change, word in (({}, "All quiet"), ({"live_nodes": 0}, "No node"), ({"store": {"ok": False, "text": "gone"}}, "gone"),
                             ({"queues": late}, "stands still"), ({"queues": late, "jobs": {"processing": 2}}, "behind"),
                             ({"last_hour": {"succeeded": 3, "failed": 9}}, "Most jobs fail")):
            with self.subTest(word):
                self.assertIn(word, self.call("verdict.js", "verdict", {**quiet, **change})["text"])


if __name__ == "__main__":
    unittest.main()
