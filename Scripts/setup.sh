#!/usr/bin/env bash
# Installs what the build, the tests and the demo need and what is missing. Safe to run again; says what it does.
# Usage: Scripts/setup.sh build|test
set -euo pipefail

purpose=${1:-build}
packages=(zlib1g-dev libsqlite3-dev)
[ "$purpose" = test ] && packages+=(python3 python3-venv python3-dev gcc libssl-dev openssl iproute2 make chromium-headless-shell)

if ! command -v swift >/dev/null 2>&1; then
    echo "setup: no Swift toolchain found. Install Swift 6.2 or later from https://swift.org/install, then run this again." >&2
    exit 1
fi

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "setup: not a Debian system; needed besides Swift: the headers of zlib and SQLite${purpose:+ (and for tests Python 3, openssl, Chromium)}."
    exit 0
fi

# Takes a package off the list of what is missing.
without() {
    local package kept=()
    for package in "${missing[@]:-}"; do
        [ "$package" = "$1" ] || [ -z "$package" ] || kept+=("$package")
    done
    missing=("${kept[@]:-}")
}

missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
if [ "$purpose" = test ] && command -v python3 >/dev/null 2>&1 && python3 -c 'import venv, ensurepip' 2>/dev/null; then
    # A Python of one's own serves as well as Debian's.
    for package in python3 python3-venv python3-dev; do without "$package"; done
fi
if [ "$purpose" = test ]; then
    # Any browser of this family serves: the tests take the first of these names.
    for browser in chromium chromium-browser google-chrome chrome; do
        if command -v "$browser" >/dev/null 2>&1; then without chromium-headless-shell; fi
    done
fi
[ -n "${missing[*]:-}" ] || exit 0

sudo=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || { echo "setup: please install as root: apt-get install ${missing[*]}" >&2; exit 1; }
    sudo=sudo
fi
echo "setup: installing ${missing[*]}"
$sudo apt-get update -qq
if [[ " ${missing[*]} " == *" chromium-headless-shell "* ]] && ! apt-cache show chromium-headless-shell >/dev/null 2>&1; then
    echo "setup: this system has no package chromium-headless-shell; the tests with a browser need a Chromium of your own." >&2
    without chromium-headless-shell
    [ -n "${missing[*]:-}" ] || exit 0
fi
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
