#!/usr/bin/env bash
# Makes certificates for tests of TLS, good ones and bad ones, with OpenSSL 3. Takes about three seconds.
# Usage: certs.sh [FOLDER]     (default ./certs; has to be empty, or an earlier result, which is replaced)
#
# Each case NAME has NAME.pem (the certificate, and its chain) and NAME.key. A client under test trusts ca.pem only.
# MATRIX.tsv has a line for each case: name, file, host to dial, verdict (ok, fail, strict: clients differ, crl: fail for who has ca.crl),
# OpenSSL's number for the refusal (0: none), and what it is about.
set -euo pipefail

case ${1:-} in
    -h | --help)
        sed -n '2,7s/^# \{0,1\}//p' "$0"
        exit 0
        ;;
esac

folder=${1:-./certs}
mkdir -p "$folder"
cd "$folder"
if [ -n "$(ls -A)" ] && [ ! -f MATRIX.tsv ]; then
    echo "certs.sh: $folder holds other files; name an empty folder" >&2
    exit 2
fi
rm -rf ./*
: >openssl.err
now=$(date -u +%s)

# day DAYS: a point in time so many days from now, as OpenSSL wants it; with GNU's date or with BSD's.
day() {
    local moment=$((now + $1 * 86400))
    date -u -d "@$moment" +%Y%m%d%H%M%SZ 2>/dev/null || date -u -r "$moment" +%Y%m%d%H%M%SZ
}

# key NAME [ec|rsa|rsa1024]
key() {
    case ${2:-ec} in
        ec) openssl ecparam -name prime256v1 -genkey -noout -out "$1.key" ;;
        rsa) openssl genrsa -out "$1.key" 2048 ;;
        rsa1024) openssl genrsa -out "$1.key" 1024 ;;
    esac 2>>openssl.err
}

# issuer NAME: what `openssl ca` needs of somebody who issues certificates.
issuer() {
    mkdir -p "db.$1"
    : >"db.$1/index.txt"
    echo 1000 >"db.$1/crlnumber"
    cat >"$1.cnf" <<END
[ca]
default_ca=settings
[settings]
database=db.$1/index.txt
new_certs_dir=db.$1
rand_serial=yes
unique_subject=no
default_md=sha256
default_crl_days=30
crlnumber=db.$1/crlnumber
policy=policy
copy_extensions=copy
[policy]
commonName=supplied
END
}

# ca NAME SUBJECT ISSUER|self FIRST_DAY LAST_DAY [EXTENSION]
ca() {
    local name=$1 subject=$2 by=$3 from=$4 to=$5 extension=${6:-} signer
    key "$name"
    issuer "$name"
    openssl req -new -key "$name.key" -subj "/CN=$subject" -out "$name.csr" 2>>openssl.err
    {
        echo 'basicConstraints=critical,CA:TRUE'
        echo 'keyUsage=critical,keyCertSign,cRLSign'
        echo 'subjectKeyIdentifier=hash'
        [ -z "$extension" ] || echo "$extension"
    } >"$name.ext"
    if [ "$by" = self ]; then
        by=$name
        signer=(-selfsign)
    else
        signer=(-cert "$by.pem")
    fi
    openssl ca -batch -notext -config "$by.cnf" -keyfile "$by.key" "${signer[@]}" -in "$name.csr" -out "$name.pem" \
        -startdate "$(day "$from")" -enddate "$(day "$to")" -extfile "$name.ext" 2>>openssl.err
}

# leaf NAME COMMON_NAME ALTERNATIVE_NAMES ISSUER FIRST_DAY LAST_DAY [KEY_TYPE] [USAGE] [DIGEST]
leaf() {
    local name=$1 common=$2 names=$3 by=$4 from=$5 to=$6 digest=${9:-sha256}
    key "$name" "${7:-ec}"
    openssl req -new -key "$name.key" -subj "/CN=$common" -out "$name.csr" 2>>openssl.err
    {
        echo 'basicConstraints=critical,CA:FALSE'
        echo 'keyUsage=critical,digitalSignature,keyEncipherment'
        echo "extendedKeyUsage=${8:-serverAuth}"
        [ -z "$names" ] || echo "subjectAltName=$names"
    } >"$name.ext"
    openssl ca -batch -notext -config "$by.cnf" -keyfile "$by.key" -cert "$by.pem" -in "$name.csr" -out "$name.pem" \
        -startdate "$(day "$from")" -enddate "$(day "$to")" -extfile "$name.ext" -md "$digest" 2>>openssl.err
}

# row NAME FILE HOST VERDICT NUMBER MEANING
row() { printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@" >>MATRIX.tsv; }

local_names='DNS:localhost,DNS:rl.test,IP:127.0.0.1,IP:::1,IP:198.18.0.1,IP:fd00:18::1'

ca ca "RL Test Root" self -1 3650
ca otherca "Somebody Else Root" self -1 3650
ca inter "RL Test Intermediate" ca -1 1825
ca interexp "RL Expired Intermediate" ca -60 -30
ca constrained "RL Constrained CA" ca -1 1825 'nameConstraints=critical,permitted;DNS:allowed.test'

leaf good localhost "$local_names" ca -1 365
row good good.pem localhost ok 0 "baseline, ECDSA P-256"
row goodip good.pem 127.0.0.1 ok 0 "IPv4 address as alternative name"
row goodip6 good.pem ::1 ok 0 "IPv6 address as alternative name"
leaf goodrsa localhost "$local_names" ca -1 365 rsa
row goodrsa goodrsa.pem localhost ok 0 "baseline, RSA 2048"

leaf wild '*.rl.test' 'DNS:*.rl.test' ca -1 365
row wild wild.pem ws.rl.test ok 0 "wildcard, one label"
row wild2 wild.pem a.b.rl.test fail 62 "wildcard must not span two labels"
row wild0 wild.pem rl.test fail 62 "wildcard must not match the bare domain"

leaf chained localhost "$local_names" inter -1 365
cp chained.pem nochain.pem
cp chained.key nochain.key
cat inter.pem >>chained.pem
row chained chained.pem localhost ok 0 "certificate and intermediate sent"
row nochain nochain.pem localhost fail 20 "intermediate missing (a common misconfiguration)"

leaf expired localhost "$local_names" ca -30 -1
row expired expired.pem localhost fail 10 "expired yesterday"
leaf notyet localhost "$local_names" ca 1 365
row notyet notyet.pem localhost fail 9 "valid from tomorrow (or the clock is behind)"
leaf soon localhost "$local_names" ca -1 30
row soon soon.pem localhost ok 0 "expires in 30 days, for tests that move the clock"

leaf wronghost other.test 'DNS:other.test' ca -1 365
row wronghost wronghost.pem localhost fail 62 "certificate of another host"
row wrongip wronghost.pem 127.0.0.1 fail 64 "certificate without this address"
leaf ipasdns localhost 'DNS:127.0.0.1' ca -1 365
row ipasdns ipasdns.pem 127.0.0.1 fail 64 "an address that is written as a DNS name must not match"
leaf cnonly localhost '' ca -1 365
row cnonly cnonly.pem localhost strict 0 "common name only: RFC 9525 and BoringSSL refuse it, OpenSSL accepts it"

leaf untrusted localhost "$local_names" otherca -1 365
row untrusted untrusted.pem localhost fail 20 "signed by an authority that is not trusted (an intercepting proxy)"
cat untrusted.pem otherca.pem >untrustedroot.pem
cp untrusted.key untrustedroot.key
row untrustedroot untrustedroot.pem localhost fail 19 "the same, with the root in the chain"
key selfsigned
openssl req -x509 -new -key selfsigned.key -subj /CN=localhost -addext "subjectAltName=$local_names" -days 365 -out selfsigned.pem \
    2>>openssl.err
row selfsigned selfsigned.pem localhost fail 18 "self-signed"

leaf interexpleaf localhost "$local_names" interexp -1 365
cat interexp.pem >>interexpleaf.pem
row interexp interexpleaf.pem localhost fail 10 "expired intermediate"
issuer good
leaf leafca localhost "$local_names" good -1 365
cat good.pem >>leafca.pem
row leafca leafca.pem localhost fail 79 "issued by a certificate that is no authority's"
leaf nameviol localhost "$local_names" constrained -1 365
cat constrained.pem >>nameviol.pem
row nameviol nameviol.pem localhost fail 47 "name constraint violated"
leaf wrongeku localhost "$local_names" ca -1 365 ec clientAuth
row wrongeku wrongeku.pem localhost fail 26 "for clients only, used by a server"
leaf weakkey localhost "$local_names" ca -1 365 rsa1024
row weakkey weakkey.pem localhost fail 66 "RSA 1024; a server with OpenSSL loads it with @SECLEVEL=0 only"
leaf sha1 localhost "$local_names" ca -1 365 rsa serverAuth sha1
row sha1 sha1.pem localhost fail 68 "signed with SHA-1"

leaf revoked localhost "$local_names" ca -1 365
openssl ca -config ca.cnf -keyfile ca.key -cert ca.pem -revoke revoked.pem 2>>openssl.err
openssl ca -config ca.cnf -keyfile ca.key -cert ca.pem -gencrl -out ca.crl 2>>openssl.err
row revoked revoked.pem localhost crl 23 "revoked; only a client with ca.crl can know"

leaf client rl-client 'DNS:rl-client' ca -1 365 ec clientAuth
leaf clientbad rl-client 'DNS:rl-client' otherca -1 365 ec clientAuth
row mtls client.pem - ok 0 "certificate of a client (clientbad.pem: one that is not trusted)"

# For pins: the SHA-256 of the public key of good.pem, and of its successor with another key.
leaf goodrot localhost "$local_names" ca -1 365
for name in good goodrot; do
    openssl x509 -in "$name.pem" -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64 >"$name.spki"
done
row rotated goodrot.pem localhost ok 0 "same name, new key: clients that pin have to refuse it"

cat otherca.pem ca.pem >both-cas.pem
rm -f ./*.csr ./*.ext
chmod 600 ./*.key
echo "$(wc -l <MATRIX.tsv) cases in $PWD"
