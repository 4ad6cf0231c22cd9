#!/usr/bin/env bash
# Sets up what the benchmarks compare with, in this folder: Debian's packages (needs root where some are missing), a virtual environment with
# PyPI's packages, and the load programs. Safe to run again. Benchmarks/run.sh calls it in a copy, Benchmarks/.build-peers.
# Usage: setup.sh
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p bin run results

packages=(gcc g++ libssl-dev nginx-light libnginx-mod-nchan mosquitto nats-server libwebsockets-dev python3-venv)
missing=()
for name in "${packages[@]}"; do
    # A command of one's own serves as well as Debian's.
    case $name in
        gcc | g++ | mosquitto | nats-server) command -v "$name" >/dev/null && continue ;;
        python3-venv) python3 -c 'import venv, ensurepip' 2>/dev/null && continue ;;
    esac
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' || missing+=("$name")
done
if [ ${#missing[@]} -gt 0 ]; then
    root=()
    [ "$(id -u)" -eq 0 ] || root=(sudo)
    echo "installing ${missing[*]}"
    install() { "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; }
    # Debian starts the servers when it installs them; here they are only started for a measurement.
    install || { "${root[@]}" apt-get update -qq && install; }
    for name in nginx mosquitto nats-server; do
        [[ " ${missing[*]} " == *" $name"* ]] && "${root[@]}" service "$name" stop >/dev/null 2>&1 || true
    done
fi

[ -x venv/bin/python ] || python3 -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
gcc -O2 -o bin/feeder servers/feeder.c -lcrypto
gcc -O2 -march=native -o bin/raw_recv clients/raw_recv.c
gcc -O2 -o bin/lws_recv clients/lws_recv.c -lwebsockets -lcrypto
g++ -O2 -std=c++20 -o bin/wsload load/wsload.cpp -lcrypto
