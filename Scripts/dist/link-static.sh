#!/usr/bin/env bash
# Links the program from the objects of a debug build, as it stands in there but with Swift's libraries in it.
# A static build compiles every module anew only to write other names of libraries into the objects. An object that imports the same modules
# and is compiled for it brings these names.
# Usage: Scripts/dist/link-static.sh directory-of-the-build program
set -euo pipefail
built=$1 program=$2
objects=$built/lifeline.product/Objects.LinkFileList
[ -f "$objects" ] || { echo "dist: $built has no lifeline; run make build first" >&2; exit 1; }
# A place with a fixed name, which gets into the program's build id.
work=$program.work
mkdir "$work"
trap 'rm -rf "$work"' EXIT
printf 'import %s\n' Dispatch Foundation FoundationNetworking Observation RegexBuilder Synchronization >"$work/libraries.swift"
swiftc -static-stdlib -parse-as-library -gnone -module-name libraries -c "$work/libraries.swift" -o "$work/libraries.o"
# Foundation uses mktemp, of which the linker warns.
swiftc -static-stdlib -emit-executable -gnone -lstdc++ -Xlinker --gc-sections -Xlinker --defsym -Xlinker main=LifelineCommand_main \
    "$work/libraries.o" "@$objects" -o "$program" 2>"$work/errors" || { cat "$work/errors" >&2; exit 1; }
