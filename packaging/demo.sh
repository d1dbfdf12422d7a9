#!/usr/bin/env bash
# Shows jobhost at work on a fresh Debian 12 machine: installs what is missing, builds the release, and runs the
# sample plugin's jobs on the embedded store, in a temporary folder. Can be run again; works as root or with sudo.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n== %s\n' "$*"; }

say "Installing what is missing, and building"
packaging/install-deps.sh build
cmake --preset release -D JOBHOST_BUILD_TESTS=OFF >/dev/null
cmake --build --preset release -j "$(nproc)" -- --quiet

work=$(mktemp -d)
hosts=()
cleanup() {
  for pid in "${hosts[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap cleanup EXIT

cat >"$work/jobhost.yaml" <<YAML
service: demo
storage: { url: "sqlite://jobs.db" }
plugins:
  load:
    - path: $root/build/release/plugins/reliability.so
      settings: { dead_letter_file: "$work/dead-letters.txt" }
retry: { initial_delay: 200ms, multiplier: 1.5, max_attempts: 3 }
shutdown: { grace: 1s, cancel: 1s }
YAML
export JOBHOST_CONFIG=$work/jobhost.yaml
jobhost() { "$root/build/release/bin/jobhost" "$@"; }
show() { printf '$ jobhost %s\n' "$*"; jobhost "$@"; }

# wait_for ID STATE: until the job is in that state, at most 30 s.
wait_for() {
  for _ in $(seq 300); do
    [ "$(jobhost jobs show "$1" --json | grep -o '"state": *"[a-z]*"' | head -n 1 | cut -d'"' -f4)" = "$2" ] && return 0
    sleep 0.1
  done
  echo "demo: job $1 did not become $2" >&2
  jobhost why "$1" >&2
  exit 1
}

# start NAME: a host in the background, with its log in a file.
start() {
  jobhost run 2>>"$work/$1.log" &
  hosts+=($!)
  echo "\$ jobhost run   # $1, pid $!"
}

say "The plugin and its policy"
show check
show explain demo.flaky

say "Four jobs"
show enqueue demo.flaky
show enqueue demo.checkpoint
show enqueue demo.deadletter
show enqueue demo.invalid
start first
wait_for 1 succeeded
wait_for 2 succeeded
wait_for 3 failed
wait_for 4 failed

say "The flaky job succeeded on attempt 3"
show jobs show 1

say "The checkpoint job resumed after its third step"
show jobs show 2

say "The dead-letter handler wrote one line"
for _ in $(seq 50); do [ -s "$work/dead-letters.txt" ] && break; sleep 0.1; done
cat "$work/dead-letters.txt"
show deadletter list

say "A node is killed with kill -9; another finishes its job"
id=$(jobhost enqueue demo.sleep --input '{"ms": 3000}')
echo "\$ jobhost enqueue demo.sleep --input '{\"ms\": 3000}'   -> $id"
wait_for "$id" processing
start second
for _ in $(seq 100); do grep -q ready "$work/second.log" 2>/dev/null && break; sleep 0.1; done
echo "\$ kill -9 ${hosts[0]}"
kill -KILL "${hosts[0]}"
wait "${hosts[0]}" 2>/dev/null || true
wait_for "$id" succeeded
show jobs show "$id"

say "All jobs"
show jobs list

kill -TERM "${hosts[1]}"
wait "${hosts[1]}"
echo
echo "demo: done"
