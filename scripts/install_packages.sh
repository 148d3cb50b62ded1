#!/usr/bin/env bash
# install_packages.sh GROUP…: installs the Debian packages of these groups of packages.txt; does nothing, at once, when
# none is missing.
#
# Called by setup. With the right to (root, or sudo that asks no password) it runs apt-get; otherwise it prints the one
# command to run.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
groups=("$@")
if ! command -v dpkg-query > /dev/null; then
  echo "scripts/setup: this is no Debian system; install what scripts/packages.txt lists, then set ASSAY_SKIP_SETUP=1" >&2
  exit 1
fi

# One line per package of the groups, alternatives separated by '|'.
wanted=()
while read -r group names; do
  [[ " ${groups[*]} " == *" $group "* ]] && wanted+=("${names// /}")
done < <(sed -e 's/#.*//' scripts/packages.txt)

IFS='|' read -ra names <<< "$(IFS='|' && echo "${wanted[*]}")"
# dpkg-query fails when it does not know one of them, and still prints the others.
installed=$(dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' "${names[@]}" 2> /dev/null |
  sed -n 's/^installed //p' || true)

missing=()
for line in "${wanted[@]}"; do
  IFS='|' read -ra alternatives <<< "$line"
  for package in "${alternatives[@]}"; do
    [[ $'\n'$installed$'\n' == *$'\n'$package$'\n'* ]] && continue 2
  done
  missing+=("$line")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

sudo=()
if [[ $(id -u) -ne 0 ]]; then
  if ! sudo -n true 2> /dev/null; then
    echo "scripts/setup: ${#missing[@]} packages are missing; run: sudo apt-get install ${missing[*]%%|*}" >&2
    exit 1
  fi
  sudo=(sudo -n)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q "$@" >> "$log" 2>&1; }
candidate() { [[ $(apt-cache policy "$1" 2> /dev/null | sed -n 's/^  Candidate: //p') =~ ^[^\(] ]]; }

# The first alternative that the package index knows, for each missing line, in `packages`; 1 when there is none for one.
choose() {
  packages=()
  local line package alternatives
  for line in "${missing[@]}"; do
    IFS='|' read -ra alternatives <<< "$line"
    for package in "${alternatives[@]}"; do
      candidate "$package" && packages+=("$package") && continue 2
    done
    unknown=$line
    return 1
  done
}

update() {
  echo "scripts/setup: updating the package index"
  apt update || { tail -n 3 "$log" >&2 && echo "scripts/setup: apt-get update failed; is the network up?" >&2; }
}

updated=""
choose || { update && updated=1; }
if ! choose; then
  echo "scripts/setup: the package index has no ${unknown//|/ or }; it needs Debian 12 or later" >&2
  exit 1
fi
echo "scripts/setup: installing ${packages[*]}"
install() { apt install --yes --no-install-recommends "${packages[@]}"; }
# An index older than the archive names versions that are gone: refresh it once and try again.
if ! install && { [[ -n $updated ]] || ! update || ! choose || ! install; }; then
  tail -n 5 "$log" >&2
  echo "scripts/setup: apt-get failed (above); check the network, or run: apt-get install ${packages[*]}" >&2
  exit 1
fi
