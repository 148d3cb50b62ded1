#!/usr/bin/env bash
# notices.sh BUILD FOLDER: puts the licences of what the programs in BUILD were compiled from into FOLDER, a file each.
#
# Called by bundle and package. ninja has noted what every compiled file has read: headers of Debian's packages, which have a
# copyright file each, and sources in folders of ours that were fetched, licence and all. CUDA's own headers are left out:
# their licence comes with the toolkit and requires no notice.
set -euo pipefail

[[ $# -eq 2 ]] || { echo "usage: notices.sh BUILD FOLDER" >&2 && exit 2; }
mkdir -p "$2"
build=$(realpath "$1") notices=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
quit() { echo "scripts/notices.sh: $1" >&2 && exit 1; }

read_files=$(cd "$build" && ninja -t deps | sed -n 's/^ \+//p' | sort -u | xargs -r realpath | sort -u)
mapfile -t headers < <(grep '^/usr/include/' <<< "$read_files")
[[ ${#headers[@]} -gt 0 ]] || quit "$1 was not built, or not by ninja"
headers+=("$(sed -n 's/^CHARTJS:[^=]*=//p' "$build/CMakeCache.txt")") # embedded as text, which no compiler notes
packages=$(dpkg -S "${headers[@]}" | sed -n 's/^\([^:, ]*\).*/\1/p' | sort -u)
for package in $packages; do cp "/usr/share/doc/$package/copyright" "$notices/$package"; done

{ grep -oE "^($build|$PWD/\.cuda)/[^/]+/include/" <<< "$read_files" || true; } | sort -u | while read -r folder; do
  folder=${folder%/include/}
  compgen -G "$folder/LICENSE*" > /dev/null || quit "no LICENSE in $folder"
  cat "$folder"/{LICENSE,NOTICE}* > "$notices/${folder##*/}" 2> /dev/null || true # few have both
done
