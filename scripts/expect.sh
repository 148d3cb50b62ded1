# shellcheck shell=bash
# Sourced by the scripts that try what was packed in a root of its own: counts what is not as it should be in `failed`.
# shellcheck disable=SC2034  # they exit with it
failed=0

# expect NAME EXIT_CODE TEXT COMMAND…: runs the command by the script's `inside`, and expects that code and that text.
expect() {
  local what=$1 want_code=$2 want_text=$3 code=0 text
  shift 3
  text=$(inside "$@" 2>&1) || code=$?
  if [[ $code -eq $want_code && $text == *$want_text* ]]; then
    echo "${0##*/}: $what: as it should be"
  else
    echo "${0##*/}: $what: exit code $code instead of $want_code, or not '$want_text' in:"
    tail -n 20 <<< "$text"
    failed=1
  fi
}
