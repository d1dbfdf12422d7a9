#!/usr/bin/env bash
# Installs what is missing, builds jobhost three ways and runs the whole test suite:
#   release   as it is shipped: every test
#   asan      address and undefined-behaviour sanitizer: every test
#   tsan      thread sanitizer: everything that has threads
# Can be run again; works as root or with sudo. Leaves build/release, build/asan and build/tsan.
#
#   packaging/test.sh               all of it
#   packaging/test.sh release       only one of the three
set -euo pipefail
cd "$(dirname "$0")/.."
started=$SECONDS
step() { printf '\n==== %s (after %d s)\n' "$*" $((SECONDS - started)); }

presets=(release asan tsan)
[ $# -eq 0 ] || presets=("$@")
jobs=$(nproc)

step "packages"
packaging/install-deps.sh

step "format"
packaging/check-format.sh

for preset in "${presets[@]}"; do
  step "$preset: configure and build"
  cmake --preset "$preset" >"/tmp/jobhost-configure.$$" 2>&1 || { cat "/tmp/jobhost-configure.$$"; exit 1; }
  rm -f "/tmp/jobhost-configure.$$"
  cmake --build --preset "$preset" -j "$jobs" -- --quiet
done

# The largest suite last: what a reader looks for is at the end.
for ((i = ${#presets[@]} - 1; i >= 0; i--)); do
  step "${presets[i]}: tests"
  ctest --preset "${presets[i]}" -j "$jobs"
done
