#!/usr/bin/env bash
# Runs clang-tidy over our own code (.clang-tidy says what it looks for). Not part of test.sh: the
# whole tree takes about six minutes on two cores.
#
#   packaging/lint.sh            every file
#   packaging/lint.sh BASE       what differs from the commit BASE
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build/asan/compile_commands.json ] || cmake --preset asan >/dev/null
cmake --build --preset asan --target jobhost reliability -- --quiet   # generated headers

if [ $# -gt 0 ]; then
  list() { git diff --name-only --diff-filter=d "$1" -- 'host/*.cpp' 'storage/*.cpp' 'config/*.cpp' 'plugins/*.cpp'; }
else
  list() { git ls-files -- 'host/*.cpp' 'storage/*.cpp' 'config/*.cpp' 'plugins/*.cpp'; }
fi
list "$@" | xargs -r -P "$(nproc)" -n 4 clang-tidy-16 -p build/asan --quiet
echo "lint: clean"
