#compdef assay
# Completion of assay's words in zsh: assay itself knows them.
_assay() {
  local -a found
  found=(${(f)"$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2> /dev/null)"})
  compadd -a found
  _files
}
if [[ $funcstack[1] == _assay ]]; then _assay "$@"; else compdef _assay assay; fi
