#!/usr/bin/env bash
# Fails, naming the places, when a C or C++ file is not formatted as .clang-format says.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files -z -- '*.h' '*.hpp' '*.cpp' '*.c' ':!:sdk/include/jobhost/abi.h' |
  xargs -0 -r clang-format --dry-run --Werror
echo "check-format: well formed"
