#!/usr/bin/env bash
# Proves the table of certs.sh with OpenSSL: serves each case on loopback, dials it, and compares the refusal with MATRIX.tsv.
# Usage: [PORT=19443] certs_check.sh FOLDER
set -uo pipefail
case ${1:---help} in
    -h | --help)
        sed -n '2,3s/^# \{0,1\}//p' "$0"
        exit 2
        ;;
esac
cd "$1" || exit 2
port=${PORT:-19443}
failed=0
count=0

while IFS=$'\t' read -r name file host verdict number meaning; do
    [ "$name" = mtls ] && continue
    openssl s_server -accept "$port" -cert "$file" -cert_chain "$file" -key "${file%.pem}.key" -quiet -cipher 'DEFAULT@SECLEVEL=0' \
        -naccept 1 </dev/null >/dev/null 2>server.err &
    server=$!
    for _ in $(seq 40); do
        ss -ltn 2>/dev/null | grep -q ":$port " && break
        sleep 0.05
    done
    options=(-verify_hostname "$host" -servername "$host")
    case $host in
        *:* | [0-9]*.[0-9]*.[0-9]*.[0-9]*) options=(-verify_ip "$host") ;;
    esac
    [ "$verdict" = crl ] && options+=(-crl_check -CRL ca.crl)
    said=$(echo | openssl s_client -connect "127.0.0.1:$port" -CAfile ca.pem -no-CApath -verify_return_error "${options[@]}" -brief 2>&1)
    kill "$server" 2>/dev/null
    wait "$server" 2>/dev/null
    found=$(grep -oE 'verify error:num=[0-9]+' <<<"$said" | head -1 | grep -oE '[0-9]+')
    if [ -z "$found" ]; then
        found=0
        grep -q 'Verification: OK' <<<"$said" || found="none: $(tail -1 <<<"$said")"
    fi
    count=$((count + 1))
    result=ok
    if [ "$found" != "$number" ]; then
        result=DIFFERS
        failed=$((failed + 1))
    fi
    printf '%-7s %-14s host=%-12s expected=%-6s/%-3s found=%s  %s\n' "$result" "$name" "$host" "$verdict" "$number" "$found" "$meaning"
done <MATRIX.tsv
echo "$((count - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
