"""A host of its own and a browser of its own, for the tests of the dashboard. Run with /usr/bin/python3:
JOBHOST_BINARY and SHOWN_PLUGIN name the binary and the plugin."""
import json, os, pathlib, re, shutil, signal, subprocess, tempfile, time, unittest

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

TIMEOUT = 40
# What tries to break out of text: markup, quotes, a turn of direction, a control character.
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> \"q' \u202egnp \u0007"
HOSTILE_SHOWN = "<script>document.title='owned'</script>"


class Host:
    """`jobhost run` in a folder that goes with it, on a free port."""

    def __init__(self, token=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="jobhost-dashboard-"))
        self.broken = self.folder / "broken"
        self.broken.touch()
        http = '{ listen: "127.0.0.1:0" }'
        if token:
            (self.folder / "token").write_text(token)
            (self.folder / "token").chmod(0o600)
            http = '{ listen: "127.0.0.1:0", token_file: token }'
        self.config = self.folder / "jobhost.yaml"
        self.config.write_text(f"""
service: shop
node: shop-1
storage: {{ url: "sqlite:jobs.db", synchronous: normal }}
plugins:
  allow_insecure: true
  load:
    - path: {os.environ["SHOWN_PLUGIN"]}
      settings: {{ broken: "{self.broken}" }}
queues:
  - {{ name: default, workers: 4 }}
  - {{ name: mail, workers: 2 }}
retry: {{ max_attempts: 1 }}
http: {http}
""")
        self.start()

    def start(self, port=0):
        if port:
            text = self.config.read_text()
            self.config.write_text(re.sub(r"127\.0\.0\.1:\d+", f"127.0.0.1:{port}", text))
        self.log = open(self.folder / "log", "w+")
        self.process = subprocess.Popen(["timeout", "280", os.environ["JOBHOST_BINARY"], "-c", str(self.config), "run"],
                                        stdout=self.log, stderr=self.log, cwd=self.folder)
        self.url = wait_for(self.listens, "the host listens")
        self.port = int(self.url.rsplit(":", 1)[1].rstrip("/"))

    def listens(self):
        text = (self.folder / "log").read_text(errors="replace")
        found = re.search(r"listening on 127\.0\.0\.1, port (\d+)", text)
        if self.process.poll() is not None:
            raise AssertionError(f"the host ended:\n{text}")
        return found and f"http://127.0.0.1:{found[1]}/"

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(20)
        self.log.close()

    def close(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *arguments, stdin=None):
        done = subprocess.run([os.environ["JOBHOST_BINARY"], "-c", str(self.config), "--json", *arguments], text=True,
                              input=stdin, capture_output=True, timeout=60, cwd=self.folder)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if done.stdout.strip() else None

    def enqueue(self, work, *options, type="shown.work"):
        return self.run("enqueue", type, "--input", json.dumps(work), *options)["id"]

    def enqueue_many(self, works, **options):
        lines = "".join(json.dumps({"type": "shown.work", "input": work, **options}) + "\n" for work in works)
        self.run("enqueue", "--bulk", stdin=lines)

    def count(self, state, **filters):
        options = [f"--{name}={value}" for name, value in filters.items()]
        return len(self.run("jobs", "list", "--state", state, "--limit", "1000", *options)["items"])

    def wait_count(self, state, n):
        wait_for(lambda: self.count(state) == n, f"{n} jobs are {state}")

    def state(self, job):
        return self.run("jobs", "show", job)["state"]


def wait_for(question, what, timeout=TIMEOUT):
    end = time.monotonic() + timeout
    while True:
        try:
            answer = question()
            if answer:
                return answer
        except StaleElementReferenceException:
            pass  # the page went on between finding and looking
        if time.monotonic() > end:
            raise AssertionError(f"not within {timeout} s: {what}")
        time.sleep(0.1)


class Browser:
    def __init__(self):
        options = Options()
        self.folder = tempfile.mkdtemp(prefix="jobhost-browser-")
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--window-size=1280,900", f"--user-data-dir={self.folder}"):
            options.add_argument(argument)
        options.binary_location = "/usr/bin/chromium"
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_page_load_timeout(TIMEOUT)

    def close(self):
        self.driver.quit()
        shutil.rmtree(self.folder, ignore_errors=True)

    def open(self, url):
        self.driver.get("about:blank")
        self.driver.get(url)

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def one(self, css):
        return wait_for(lambda: next((e for e in self.all(css) if e.is_displayed()), None), f"{css} is on the page")

    def text(self, css="body"):
        found = self.all(css)
        return found[0].get_attribute("innerText") if found else ""

    def sees(self, text, css="main", timeout=TIMEOUT):
        try:
            wait_for(lambda: text in self.text(css), f"“{text}” in {css}", timeout)
        except AssertionError as error:
            raise AssertionError(f"{error}; there is:\n{self.text(css)[:3000]}") from None

    def button(self, text, css="button"):
        return wait_for(lambda: next((b for b in self.all(css) if text in b.text and b.is_enabled()), None), f"a button “{text}”")

    def press(self, text, css="button"):
        self.button(text, css).click()

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def size(self, width, height=780):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def scheme(self, name):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": name}]})

    def complaints(self):
        """What the browser did not like: an error in a script, or something that the policy forbids."""
        return [line["message"] for line in self.driver.get_log("browser") if line["level"] == "SEVERE"]


class DashboardTest(unittest.TestCase):
    """One host and one browser for all tests of a class; each test brings its own jobs."""
    token = None

    @classmethod
    def setUpClass(cls):
        cls.host = Host(cls.token)
        cls.addClassCleanup(cls.host.close)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, hash="#/"):
        self.browser.open(self.host.url + hash)
        self.browser.one("main > :not(.loading)")
