#!/usr/bin/env bash
# google_benchmark.sh FOLDER: puts the sources of Google Benchmark into FOLDER; does nothing when they are there.
#
# Called by bundle: Debian has the library as a shared one only. apt-get fetches Debian's source package and checks its
# signature, with lists and settings of its own beside FOLDER: it needs no right to change the system's. The checksum is
# that of the project's own release too.
set -euo pipefail

version=1.7.1-1
checksum=6430e4092653380d9dc4ccb45a1e2dc9259d581f4866dc0759713126056bc1d7
key=/usr/share/keyrings/debian-archive-keyring.gpg

quit() { echo "scripts/google_benchmark.sh: no sources of Google Benchmark: $1" >&2 && exit 1; }

[[ $# -eq 1 ]] || { echo "usage: google_benchmark.sh FOLDER" >&2 && exit 2; }
[[ ! -f $1/CMakeLists.txt ]] || exit 0
if ! command -v apt-get > /dev/null || [[ ! -f $key ]]; then
  quit "this is no Debian system; unpack its release ${version%-*} into $1"
fi
folder=$(realpath -m "$1")
work=$folder.new
mkdir -p "$work"/{lists,cache,sources}
cd "$work"
echo "deb-src [signed-by=$key] http://deb.debian.org/debian bookworm main" > sources.list
apt() {
  apt-get -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" "$@" > log 2>&1 ||
    quit "apt-get says: $(grep -m 1 '^E:' log || tail -n 1 log)"
}
apt update -o APT::Update::Error-Mode=any
apt source --download-only "benchmark=$version"
archive=benchmark_${version%-*}.orig.tar.gz
sha256sum --check --status <<< "$checksum  $archive" || quit "$work/$archive has another checksum than $checksum"
tar -xf "$archive" -C sources --strip-components 1
mv -T sources "$folder"
rm -rf "$work"
