#!/usr/bin/env bash
# The module maps of all C modules that the library uses, one a line, for commands that read built modules.
# Usage: Scripts/module-maps.sh DIRECTORY_OF_THE_BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
find "$PWD"/.build/checkouts/*/Sources "$PWD/Sources" -name module.modulemap -not -path '*Tests*'
find "$1/" -maxdepth 3 -name '*.modulemap' -not -path '*Tests*' -not -path '*tool*'
