// The scripts that complete `weir` in each shell. They call `weir complete` with the words so far. If it prints
// nothing, the shell completes file names.
export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

export const scripts: Readonly<Record<Shell, string>> = {
  bash: `_weir() {
  local IFS=$'\\n'
  COMPREPLY=($("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _weir weir`,
  zsh: `#compdef weir
_weir() {
  local -a found
  found=("\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -a found; else _files; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _weir weir`,
  fish: `function __weir_complete
  set -l words (commandline -opc)
  set -l found ($words[1] complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c weir -f -a '(__weir_complete)'`,
}
