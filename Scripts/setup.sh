#!/usr/bin/env bash
# Installs what the build, the tests and the demo need and what is missing. Safe to run again: for what is there it needs neither root nor
# a network, and it says nothing.
# "dist" is for making packages of the program, "dist-test" also for testing them.
# Usage: Scripts/setup.sh build|test|redis|dist|dist-test
set -euo pipefail

purpose=${1:-build}
case "$purpose" in
    build | test | redis | dist | dist-test) ;;
    *)
        echo "usage: Scripts/setup.sh build|test|redis|dist|dist-test" >&2
        exit 2
        ;;
esac

there() { command -v "$1" >/dev/null 2>&1; }

if ! there swift; then
    echo "setup: no Swift toolchain found. Install Swift 6.2 or later from https://swift.org/install, then run this again." >&2
    exit 1
fi

if ! there dpkg-query; then
    echo "setup: not a Debian system; needed besides Swift: the headers of zlib and SQLite."
    [ "$purpose" = build ] ||
        echo "setup: and for tests: Python 3 with venv, a C compiler, make, openssl, ip, nft, redis-server 7, promtool, Chromium."
    exit 0
fi

missing=()
package() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed' || missing+=("$1"); }
# A command of one's own serves as well as Debian's.
command_of() { there "$2" || missing+=("$1"); }

package zlib1g-dev
package libsqlite3-dev
browser=
case $purpose in
    dist | dist-test)
        package dpkg-dev
        command_of binutils strip
        command_of python3 python3
        ;;
esac
if [ "$purpose" = dist-test ]; then
    for name in debootstrap mandoc zsh fish; do command_of "$name" "$name"; done
fi
if [ "$purpose" = test ] || [ "$purpose" = dist-test ]; then
    if ! there python3 || ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
        for name in python3 python3-venv python3-dev; do package "$name"; done
    fi
fi
if [ "$purpose" = test ]; then
    # The store on PostgreSQL loads it.
    package libpq5
    package libssl-dev
    command_of gcc cc
    command_of openssl openssl
    command_of iproute2 ip
    package nftables
    command_of make make
    # The tests take the first of these names.
    for name in chromium-headless-shell chromium chromium-browser google-chrome chrome; do
        if there "$name"; then browser=$name; fi
    done
fi
if [ "$purpose" = test ] || [ "$purpose" = redis ]; then
    if [ "$purpose" = redis ]; then command_of python3 python3; fi
    # The tools have the server's program under another name, without the service that Debian starts with redis-server.
    there redis-server || there valkey-server || command_of redis-tools redis-check-rdb
fi
# Debian starts the server that it installs. Elsewhere than on a machine for tests, those of PostgreSQL are skipped without one.
if [ "$purpose" = test ] && [ -n "${CI:-}" ] && ! compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; then missing+=(postgresql); fi
tools="$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)/build/tools"
promtool_missing() { [ "$purpose" = test ] && ! there promtool && [ ! -x "$tools/promtool" ]; }
wanted=("${missing[@]}")
if [ "$purpose" = test ] && [ -z "$browser" ]; then wanted+=(chromium-headless-shell); fi
[ "${#wanted[@]}" -gt 0 ] || promtool_missing || exit 0

# Unpacks the one program of Debian's prometheus that tests use. Installing the package would start a server. It needs no root.
unpack_promtool() {
    local work
    work=$(mktemp -d) || return 1
    echo "setup: unpacking promtool of Debian's prometheus into $tools"
    if (cd "$work" && apt-get download -qq prometheus) >/dev/null 2>&1 &&
        dpkg-deb --fsys-tarfile "$work"/prometheus_*.deb | tar -x -C "$work" ./usr/bin/promtool; then
        mkdir -p "$tools" && mv "$work/usr/bin/promtool" "$tools/promtool"
    else
        echo "setup: the package prometheus could not be fetched; the tests of alert rules will fail until there is a promtool." >&2
    fi
    rm -rf "$work"
}
ready() {
    if promtool_missing; then unpack_promtool; fi
    exit 0
}

without_browser() {
    echo "setup: $1; the tests with a browser will fail until there is a Chromium or Chrome." >&2
    wanted=("${missing[@]}")
    [ "${#wanted[@]}" -gt 0 ] || ready
}

root=()
if [ "$(id -u)" -ne 0 ] && [ "${#wanted[@]}" -gt 0 ]; then
    # Only somebody at a terminal can type a password.
    if there sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
        root=(sudo)
    elif [ "${#missing[@]}" -eq 0 ]; then
        without_browser "no browser found, and only root can install one (apt-get install ${wanted[*]})"
    else
        echo "setup: packages are missing, and only root can install them. Run this as root, then try again:" >&2
        echo "    apt-get install ${wanted[*]}" >&2
        exit 1
    fi
fi

# Whether the lists have a package. "apt-cache show" would also know it when it is installed and there are no lists.
known() { [ -n "$(apt-cache madison "$1" 2>/dev/null)" ]; }
update() {
    "${root[@]}" apt-get update -qq || echo "setup: the lists of packages could not be fetched; going on with those that there are." >&2
}
# Whatever installs updates on a new system holds the lock for a while.
install() {
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends -oDPkg::Lock::Timeout=300 "${wanted[@]}" >/dev/null
}

# A fresh system has no lists at all. Every Debian and Ubuntu knows this package.
known libsqlite3-dev || update
[ "${#wanted[@]}" -gt 0 ] || ready
if [[ " ${wanted[*]} " == *" chromium-headless-shell "* ]] && ! known chromium-headless-shell; then
    without_browser "this system has no package chromium-headless-shell"
fi
echo "setup: installing ${wanted[*]}"
# Lists that are old name packages that are gone.
install 2>/dev/null || { update && install; } || {
    echo "setup: could not install ${wanted[*]}. Is there a network? Install them in another way, then run this again." >&2
    exit 1
}
ready
