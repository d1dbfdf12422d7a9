"""The JSON Schema for editors says what the loader says: the same keys, every accepted file accepted,
every broken file refused.   schema_test.py ROOT CONFIG_PROBE"""
import json, os, pathlib, re, subprocess, sys, tempfile

import jsonschema
import yaml

root, probe = pathlib.Path(sys.argv[1]), sys.argv[2]
schema = json.loads((root / "config/jobhost.schema.json").read_text())
failures = []


class Yaml12(yaml.SafeLoader):
    """As editors read it: YAML 1.2, where `on` and `01:30:00` are plain text."""


Yaml12.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
]:
    Yaml12.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(f"^(?:{pattern})$"), list(first))


def say(text, variables=()):
    environment = os.environ | {name: "set" for name in variables}
    return subprocess.run(
        [probe, text], check=True, capture_output=True, text=True, timeout=30, env=environment
    ).stdout


def cases(name):
    text = (root / "tests/unit/config/schema" / name).read_text()
    for part in text.split("=== ")[1:]:
        title, body = part.split("\n", 1)
        has_storage = re.search(r"^storage:", body, re.M)
        yield title, body if has_storage else 'storage: { url: "sqlite:jobs.db" }\n' + body


def sample_with_everything():
    """jobhost.yaml with its switched-off settings on, apart from those that exclude others."""
    lines = []
    for line in (root / "config/jobhost.yaml").read_text().splitlines():
        if re.match(r" *#(?! \S)", line):
            line = line.replace("#", "", 1)
        if not re.match(r"  (url_file|token_file|delay):", line):
            lines.append(line)
    return "\n".join(lines) + "\n"


def guides():
    """Whole configurations in the guides."""
    for name in ["README.md", "sdk/README.md", "config/README.md", "config/retries.md"]:
        for number, block in enumerate(re.findall(r"^```yaml\n(.*?)^```", (root / name).read_text(), re.M | re.S)):
            whole = block if re.search(r"^storage:", block, re.M) else 'storage: { url: "sqlite:jobs.db" }\n' + block
            yield f"{name}, block {number + 1}", whole


def errors_of(text):
    document = yaml.load(text, Yaml12)
    return [f"{list(e.absolute_path)}: {e.message}" for e in validator.iter_errors(document)]


def check(title, text, accepted, folder):
    file = folder / "jobhost.yaml"
    file.write_text(text)
    # An example names variables of its reader's environment.
    loader = say(str(file), re.findall(r"\$\{(\w+)\}", text) if accepted else [])
    if (loader == "accepted\n") != accepted:
        failures.append(f"{title}: the loader says {loader}")
    errors = errors_of(text)
    if accepted and errors:
        failures.append(f"{title}: the schema says {errors}")
    if not accepted and not errors:
        failures.append(f"{title}: the schema accepts it, the loader says {loader}")


def keys_of(node, path, found):
    """Every key that the schema knows, in the form of the loader's list."""
    if "$ref" in node:
        keys_of(schema["definitions"][node["$ref"].rsplit("/", 1)[1]], path, found)
    for part in node.get("allOf", []):
        keys_of(part, path, found)
    for key, value in node.get("properties", {}).items():
        name = f"{path}.{key}" if path else key
        found.add(name)
        keys_of(value, name, found)
    if isinstance(node.get("items"), dict):
        keys_of(node["items"], path + "[]", found)
    if isinstance(node.get("additionalProperties"), dict):
        name = path + (".<error>" if path.endswith(".on") else ".<type>")
        found.add(name)
        keys_of(node["additionalProperties"], name, found)
    return found


jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
known, described = set(say("--keys").split()), keys_of(schema, "", set())
if known != described:
    failures.append(f"only the loader knows {known - described}, only the schema {described - known}")

count = 0
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    examples = [(path.name, path.read_text()) for path in [root / "config/jobhost.yaml", *root.glob("tests/**/jobhost.yaml")]]
    examples += [("jobhost.yaml with everything", sample_with_everything()), *guides(), *cases("accepted.txt")]
    for title, text in examples:
        check(title, text, True, folder)
    broken = list(cases("broken.txt"))
    for title, text in broken:
        check(title, text, False, folder)
    if len(examples) < 15 or len(broken) < 40:
        failures.append(f"too few cases: {len(examples)} and {len(broken)}")
print("\n".join(failures) or f"{len(examples)} examples and {len(broken)} broken files: the same answers")
sys.exit(1 if failures else 0)
