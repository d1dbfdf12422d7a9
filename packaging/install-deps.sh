#!/usr/bin/env bash
# Installs what jobhost needs to be built and tested on Debian 12, and nothing that is there already.
# Works as root or with sudo; can be run again. This is the only list of packages.
#
#   packaging/install-deps.sh          everything: build, tests, lint
#   packaging/install-deps.sh build    only what a build needs
set -euo pipefail

build=(
  g++ cmake ninja-build
  libboost-dev            # Boost.DLL, header-only
  libyaml-cpp-dev libsqlite3-dev libpq-dev libspdlog-dev libfmt-dev
  libcli11-dev libexpected-dev nlohmann-json3-dev
)
test=(
  libgtest-dev libgmock-dev
  clang-16 libclang-rt-16-dev llvm-16 # the sanitizer builds, and plugins of another compiler ...
  libc++-16-dev libc++abi-16-dev      # ... and another standard library
  clang-format clang-tidy-16          # format and lint
  sqlite3 git binutils procps
  python3 python3-yaml python3-jsonschema # checks the schema of the configuration
  chromium chromium-driver python3-selenium # the dashboard, in a real browser
  postgresql-15 postgresql-client-15 pgbouncer util-linux # throw-away servers, one for each run
)

packages=("${build[@]}")
[ "${1:-all}" = build ] || packages+=("${test[@]}")

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "install-deps: everything is there"
  exit 0
fi

run=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "install-deps: needs root or sudo to install: ${missing[*]}" >&2; exit 1; }
  run=(sudo)
fi
echo "install-deps: installing ${missing[*]}"
"${run[@]}" apt-get update -qq
"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
