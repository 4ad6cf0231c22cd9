#!/usr/bin/env bash
# Links the program from the objects of a build, with Swift's libraries in it, without names for other programs, and with the part of ICU's data
# that it needs.
# The objects of a debug build name Swift's shared libraries. An object that imports the same modules and is compiled for the static ones
# brings their names. Those objects use FoundationNetworking, which needs libcurl; it is found without its headers and its link.
# Usage: Scripts/dist/link.sh debug|release directory-of-the-build program
set -euo pipefail
cd "$(dirname "$0")/../.."
kind=$1 built=$2 program=$3
objects=$built/lifeline.product/Objects.LinkFileList
[ -f "$objects" ] || { echo "dist: $built has no lifeline; run make build first" >&2; exit 1; }
# A place with a fixed name, which gets into the program's build id.
work=$program.work
mkdir "$work"
trap 'rm -rf "$work"' EXIT
libraries=$(swiftc -print-target-info -static-stdlib | python3 -c 'import json, sys; print(json.load(sys.stdin)["paths"]["runtimeResourcePath"])')/linux
python3 Scripts/dist/icu-data.py "$libraries" "$work/icu.o"
link=("$work/icu.o")
if [ "$kind" = debug ]; then
    printf 'import %s\n' Dispatch Foundation FoundationNetworking Observation RegexBuilder Synchronization >"$work/libraries.swift"
    swiftc -static-stdlib -parse-as-library -gnone -module-name libraries -c "$work/libraries.swift" -o "$work/libraries.o"
    # The compiler names libcurl only where it has its headers.
    # Sed reads to the end: a reader that stops early would end ldconfig with an error, now and then.
    curl=$(/sbin/ldconfig -p 2>/dev/null | sed -n 's/.*libcurl\.so\.4 .*=> //p') || true
    [ -n "$curl" ] || { echo "dist: libcurl.so.4 not found, which the objects of a debug build need: apt-get install libcurl4" >&2; exit 1; }
    mkdir "$work/lib"
    ln -s "${curl%%$'\n'*}" "$work/lib/libcurl.so"
    link+=("$work/libraries.o" -L "$work/lib" -lcurl)
fi
# Foundation uses mktemp, of which the linker warns.
swiftc -static-stdlib -emit-executable -gnone -use-ld=lld -lstdc++ -Xlinker --gc-sections -Xlinker --no-export-dynamic \
    -Xlinker --defsym -Xlinker main=LifelineCommand_main \
    "${link[@]}" "@$objects" -o "$program" 2>"$work/errors" || { cat "$work/errors" >&2; exit 1; }
