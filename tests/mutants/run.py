#!/usr/bin/env python3
"""Breaks the rules of retries and dead letters one by one and looks whether their tests notice.

    tests/mutants/run.py [--build DIR] [--only WORDS]

Works on the tree that it stands in, which must have no uncommitted changes to the files that it
breaks: each is put back. Builds and runs `rules_test` of the build folder (default build/release)
for each block of rules.txt, and ends with the number of mutants that were caught, missed, and that
could not be built. Exit status 1 when any was missed or did not build. Takes some seconds a mutant;
it is run by hand.
"""
import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def mutants():
    blocks = (ROOT / "tests/mutants/rules.txt").read_text().split("\n\n")
    for block in blocks[1:]:
        name, file, *lines = block.strip("\n").split("\n")
        old = "\n".join(line[1:] for line in lines if line.startswith("-"))
        new = "\n".join(line[1:] for line in lines if line.startswith("+"))
        yield name.lstrip("# "), ROOT / file, old, new


def run(command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)


def try_one(build, file, old, new):
    original = file.read_text()
    if original.count(old) < 1:
        return "stale: the text is not in " + str(file.relative_to(ROOT))
    file.write_text(original.replace(old, new, 1))
    try:
        built = run(["cmake", "--build", build, "--target", "rules_test"])
        if built.returncode != 0:
            errors = [line for line in built.stdout.split("\n") if "error" in line]
            return "does not build: " + (errors or ["?"])[0]
        try:
            tested = run([build + "/bin/rules_test", "--gtest_fail_fast"])
        except subprocess.TimeoutExpired:
            return "caught"
        return "missed" if tested.returncode == 0 else "caught"
    finally:
        file.write_text(original)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--build", default="build/release")
    options.add_argument("--only", default="")
    asked = options.parse_args()
    results = {}
    for name, file, old, new in mutants():
        if asked.only not in name:
            continue
        result = try_one(asked.build, file, old, new)
        results.setdefault(result.split(":")[0], []).append(name)
        print(f"{result}\t{name}", flush=True)
    print(", ".join(f"{len(names)} {result}" for result, names in sorted(results.items())))
    run(["cmake", "--build", asked.build, "--target", "rules_test"])
    return 0 if set(results) == {"caught"} else 1


if __name__ == "__main__":
    sys.exit(main())
