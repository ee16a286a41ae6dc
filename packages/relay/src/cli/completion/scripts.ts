/** The completion script of each shell; all of them ask the program for candidates. */
export const SCRIPTS = {
  bash: `# Load it with: source <(agent-relay completion bash)
_agent_relay() {
  local word at= typed=\${COMP_WORDS[COMP_CWORD]}
  local -a words=()
  # Bash takes the @ before a name for a word of its own.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $word == @ ]]; then at=@; else words+=("$at$word"); at=; fi
  done
  [[ $at ]] && words+=("$at")
  COMPREPLY=()
  while IFS= read -r word; do
    # Inside quotes every character stands for itself, and bash closes them.
    [[ $typed == [\\"\\']* ]] || printf -v word %q "$word"
    COMPREPLY+=("$word")
  done < <(agent-relay completion bash --complete -- "\${words[@]}" 2>/dev/null)
}
complete -o default -F _agent_relay agent-relay`,
  zsh: `#compdef agent-relay
# Load it with: source <(agent-relay completion zsh)
_agent_relay() {
  local -a found
  found=(\${(f)"$(agent-relay completion zsh --complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _agent_relay agent-relay`,
  fish: `# Load it with: agent-relay completion fish | source
complete -c agent-relay -f -a '(agent-relay completion fish --complete -- (commandline -opc)[2..] "$(commandline -ct)" 2>/dev/null)'
complete -c agent-relay -l attach -rF
complete -c agent-relay -s o -l output -rF
complete -c agent-relay -n '__fish_seen_subcommand_from import export' -F`,
} as const;

export type Shell = keyof typeof SCRIPTS;
