"""The timetables in config/retries.md are what `jobhost explain` prints.
retries_guide_test.py ROOT JOBHOST [--write]: the last one puts today's output into the guide."""
import pathlib, re, subprocess, sys, tempfile

root, jobhost = pathlib.Path(sys.argv[1]), sys.argv[2]
guide = root / "config/retries.md"
PAIR = re.compile(r"^```yaml\n(.*?)^```\n\n```\n\$ (jobhost explain (\S+))\n(.*?)^```", re.M | re.S)


def explain(yaml, type_name):
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "jobhost.yaml"
        file.write_text(yaml + 'storage: { url: "sqlite:jobs.db" }\n')
        run = subprocess.run([jobhost, "-c", str(file), "explain", type_name], capture_output=True,
                             text=True, timeout=60)
        assert run.returncode == 0, run.stderr
        return run.stdout.replace(str(file), "jobhost.yaml")


text = guide.read_text()
pairs = list(PAIR.finditer(text))
assert len(pairs) == text.count("$ jobhost explain"), "an output without a configuration above it"
fresh = PAIR.sub(lambda m: f"```yaml\n{m[1]}```\n\n```\n$ {m[2]}\n{explain(m[1], m[3])}```", text)
if "--write" in sys.argv:
    guide.write_text(fresh)
elif fresh != text:
    for pair in pairs:
        now = explain(pair[1], pair[3])
        if now != pair[4]:
            print(f"config/retries.md shows for `{pair[2]}`:\n{pair[4]}\nbut it prints:\n{now}")
    sys.exit(1)
print(f"{len(pairs)} outputs of explain, as printed today")
