#!/usr/bin/env bash
# Makes what is released for this machine's architecture: the program with Swift's libraries in it, stripped, as .tar.gz and as .deb, its names
# of functions as .debug.gz, and SHA256SUMS. Everything is in build/dist then.
# Usage: Scripts/dist.sh [--debug]
# --debug links the objects of the debug build (make build) instead of building for release, which takes seconds instead of many minutes, and
# compresses little. Tests use it; it is in build/dist-debug, its version says so, and it needs libcurl.
# MAINTAINER names who publishes the package, as "Name <address>".
# The same commit, path and tools give the same files: times come from SOURCE_DATE_EPOCH, by default that of the commit.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C TZ=UTC

kind=release
case "${1:-}" in
    '') ;;
    --debug) kind=debug ;;
    *) echo "usage: Scripts/dist.sh [--debug]" >&2; exit 2 ;;
esac
for tool in dpkg-deb dpkg-shlibdeps readelf strip objcopy as python3; do
    command -v "$tool" >/dev/null || { echo "dist: $tool not found: run Scripts/setup.sh dist" >&2; exit 1; }
done
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
export SOURCE_DATE_EPOCH

version=$(sed -n 's/.*static let current = "\(.*\)"/\1/p' Sources/WireCoding/PackageVersion.swift)
architecture=$(dpkg --print-architecture)
maintainer=${MAINTAINER:-Lifeline contributors <lifeline@localhost>}
out=build/dist compress=(-Zxz) gzip=-9
# A tilde is older than nothing: the released version replaces it.
if [ $kind = debug ]; then version+='~debug' out=build/dist-debug compress=(-Zzstd -z1) gzip=-1; fi
rm -rf "$out"
mkdir -p "$out/work"
work=$PWD/$out/work

# The program, and the list of the objects that are in it.
# What `lifeline` does not use is left out: FoundationNetworking, which needs libcurl and with it thirty libraries of the system.
if [ $kind = release ]; then
    flags=(-c release --product lifeline --static-swift-stdlib -debug-info-format none -Xswiftc -DWITHOUT_FOUNDATION_NETWORKING
        -Xswiftc -Xfrontend -Xswiftc -function-sections)
    export LIFELINE_DIST=1
    swift build "${flags[@]}"
    built=$(swift build "${flags[@]}" --show-bin-path)
else
    built=$(cd .build/debug && pwd)
fi
Scripts/dist/link.sh $kind "$built" "$work/lifeline.unstripped"
# Strip leaves the compiler's descriptions of modules, which are for debuggers.
strip -s -R .swift_ast -o "$work/lifeline" "$work/lifeline.unstripped"

# Only libraries that every Linux has a package of may be missing from it.
needed=$(readelf -d "$work/lifeline" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort)
for library in $needed; do
    case $library in
        libc.so.6 | libm.so.6 | ld-linux-*.so.* | libgcc_s.so.1 | libstdc++.so.6 | libz.so.1 | libsqlite3.so.0) ;;
        libcurl.so.4) [ $kind = debug ] || { echo "dist: the program needs libcurl, which FoundationNetworking brings" >&2; exit 1; } ;;
        *) echo "dist: the program needs $library, which is not expected" >&2; exit 1 ;;
    esac
done

# Manual pages and completions: made by the program itself.
share=$work/share
mkdir -p "$share/man/man1" "$share/man/man5" "$share/bash-completion/completions" "$share/zsh/vendor-completions" \
    "$share/fish/vendor_completions.d" "$share/doc/lifeline" "$share/lifeline"
"$work/lifeline" --experimental-dump-help >"$work/help.json"
python3 Scripts/dist/man-pages.py "$work/help.json" docs/operations/settings.md "$version" "$share/man"
find "$share/man" -type f -exec gzip -n -9 {} +
# It is read by a shell, not run.
"$work/lifeline" --generate-completion-script bash | sed '1{/^#!/d}' >"$share/bash-completion/completions/lifeline"
"$work/lifeline" --generate-completion-script zsh >"$share/zsh/vendor-completions/_lifeline"
"$work/lifeline" --generate-completion-script fish >"$share/fish/vendor_completions.d/lifeline.fish"
cp deploy/package/lifeline.json.in "$share/lifeline/"
gzip -n -9 -c CHANGELOG.md >"$share/doc/lifeline/CHANGELOG.md.gz"
# What help texts, errors and manual pages name as docs/NAME.md.
mkdir -p "$share/doc/lifeline/docs/rules" "$share/doc/lifeline/docs/operations"
for document in docs/*.md docs/operations/*.md docs/rules/*.md; do gzip -n -9 -c "$document" >"$share/doc/lifeline/$document.gz"; done
python3 Scripts/dist/licences.py "$built/lifeline.product/Objects.LinkFileList" >"$share/doc/lifeline/copyright"

# The .tar.gz, to be unpacked over a prefix such as /usr/local.
name=lifeline-$version-linux-$architecture
mkdir -p "$work/$name/bin" "$work/$name/lib/systemd/system"
install -m 0755 "$work/lifeline" "$work/$name/bin/lifeline"
sed 's|/usr/bin/lifeline|/usr/local/bin/lifeline|' deploy/package/lifeline.service >"$work/$name/lib/systemd/system/lifeline.service"
cp -R "$share" "$work/$name/share"
mv "$work/$name/share/zsh/vendor-completions" "$work/$name/share/zsh/site-functions"
tidy() { find "$1" -type d -exec chmod 0755 {} + && find "$1" -type f ! -perm -100 -exec chmod 0644 {} +; }
tidy "$work/$name"
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu -C "$work" -cf - "$name" |
    gzip -n $gzip >"$out/$name.tar.gz"

# The .deb.
package=$work/package
mkdir -p "$package/DEBIAN" "$package/usr/bin" "$package/usr/lib/systemd/system"
install -m 0755 "$work/lifeline" "$package/usr/bin/lifeline"
cp deploy/package/lifeline.service "$package/usr/lib/systemd/system/"
mv "$share" "$package/usr/share"
printf 'lifeline (%s) stable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- %s  %s\n' "$version" "$maintainer" \
    "$(date -R -d "@$SOURCE_DATE_EPOCH")" | gzip -n -9 >"$package/usr/share/doc/lifeline/changelog.gz"
tidy "$package"
mkdir -p "$work/shlibs/debian"
printf 'Source: lifeline\n\nPackage: lifeline\nArchitecture: any\n' >"$work/shlibs/debian/control"
depends=$(cd "$work/shlibs" && dpkg-shlibdeps -O -e"$work/lifeline" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { echo "dist: dpkg-shlibdeps found no packages for the libraries of the program" >&2; exit 1; }
size=$(du -k -s --apparent-size "$package" | cut -f1)
sed -e "s#@VERSION@#$version#" -e "s#@ARCHITECTURE@#$architecture#" -e "s#@SIZE@#$size#" -e "s#@DEPENDS@#$depends#" \
    -e "s#@MAINTAINER@#$maintainer#" \
    deploy/package/control.in >"$package/DEBIAN/control"
for script in postinst prerm postrm; do install -m 0755 "deploy/package/$script" "$package/DEBIAN/$script"; done
(cd "$package" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$package/DEBIAN/md5sums"
find "$package" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group "${compress[@]}" --build "$package" "$out/lifeline_${version}_$architecture.deb" >/dev/null

# A file with the symbols, which turns the addresses in a crash report into names. Only a release has one, because it is large.
if [ $kind = release ]; then
    objcopy --only-keep-debug -R .swift_ast "$work/lifeline.unstripped" "$work/lifeline.debug"
    gzip -n -9 -c "$work/lifeline.debug" >"$out/$name.debug.gz"
fi

(cd "$out" && sha256sum ./*.gz ./*.deb | sed 's|\./||' >SHA256SUMS)
size() { stat -c %s "$1" | numfmt --to=iec; }
echo "program: $(size "$work/lifeline"); needs $(echo $needed)"
echo "depends: $depends"
rm -rf "$work"
for file in "$out"/*; do echo "$(size "$file")	$file"; done
