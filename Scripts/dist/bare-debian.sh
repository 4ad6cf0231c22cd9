#!/usr/bin/env bash
# Makes a file system with nothing but a minimal Debian of the running system's suite, once: build/debian-SUITE.tar, whose path it prints.
# The packages of the libraries that lifeline uses have been fetched in there, and are not installed.
# It needs root, a network and debootstrap; where one of them is missing it ends with 3 and the reason.
set -euo pipefail
cd "$(dirname "$0")/../.."
lacking() { echo "$1" >&2; exit 3; }
[ -r /etc/os-release ] || lacking "not a Debian system"
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
[ -n "$suite" ] || lacking "this system has no code name"
tree=$PWD/build/debian-$suite.tar
mkdir -p build
exec 9>"$tree.lock"
flock 9
if [ ! -f "$tree" ]; then
    [ "$(id -u)" -eq 0 ] || lacking "only root can make a Debian tree"
    command -v debootstrap >/dev/null || lacking "debootstrap not found: run Scripts/setup.sh dist"
    work=$(mktemp -d)
    # Not into a file system that debootstrap has mounted in there and left behind.
    trap 'rm -rf --one-file-system "$work"' EXIT
    # The mirror that this system uses itself; otherwise debootstrap's own.
    mirror=$(apt-get indextargets --format '$(SITE)' 'Identifier: Packages' "Codename: $suite" 2>/dev/null | head -1 || true)
    debootstrap --variant=minbase "$suite" "$work/root" ${mirror:+"$mirror"} >"$work/log" 2>&1 || {
        tail -5 "$work/log" >&2
        lacking "debootstrap could not make a tree of $suite"
    }
    cp /etc/resolv.conf "$work/root/etc/resolv.conf"
    libraries=()
    for library in libcurl.so.4 libsqlite3.so.0 libstdc++.so.6 libz.so.1; do
        # One of the two places is not there, which is an error for dpkg-query.
        name=$({ dpkg-query -S "/usr/lib/*/$library" "/lib/*/$library" 2>/dev/null || true; } | sed -n '1s/:.*//p')
        # Only packages of a debug build need it.
        [ -n "$name" ] || [ $library != libcurl.so.4 ] || continue
        [ -n "$name" ] || lacking "no package has $library: run Scripts/setup.sh dist"
        libraries+=("$name")
    done
    DEBIAN_FRONTEND=noninteractive chroot "$work/root" \
        apt-get install -y -qq --no-install-recommends --download-only "${libraries[@]}" >"$work/log" 2>&1 || {
        tail -5 "$work/log" >&2
        lacking "the packages ${libraries[*]} could not be fetched"
    }
    tar -C "$work/root" --exclude=./dev/* -cf "$tree.new" .
    mv "$tree.new" "$tree"
fi
echo "$tree"
