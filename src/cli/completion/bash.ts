import type { Completable, CompletableOption, CompletableProgram } from './completion-model.js';

/** A completion script for bash 3.2 and newer; paths need bash 4. */
export function bashCompletion({ name, options, commands }: CompletableProgram): string {
  const values = commands.flatMap((command) =>
    command.options.flatMap(({ flags, value }) =>
      value ? [`    ${patternOf(command.name, flags)}) ${offer(value)}; return ;;`] : [],
    ),
  );
  const skips = commands.flatMap((command) =>
    command.options.flatMap(({ flags, value }) =>
      value ? [`      ${patternOf(command.name, flags)}) ((n++)); [[ \${COMP_WORDS[n]} == = ]] && ((n++)) ;;`] : [],
    ),
  );
  const words = commands.map((command) =>
    [
      `    ${command.name})`,
      `      if [[ $word == -* ]]; then ${offer({ words: flagsOf(command.options) })}`,
      ...(command.argument ? [`      elif [[ $arguments == 0 ]]; then ${offer(command.argument)}`] : []),
      `      else ${offer({ words: flagsOf(command.options) })}; fi ;;`,
    ].join('\n'),
  );
  return `# Completes ${name} in bash. To have it now: source <(${name} completion bash)
_${name}() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' arguments=0 n
  COMPREPLY=()
  # --name=value comes in three words
  if [[ $word == = ]]; then word=''
  elif [[ $previous == = ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((n = 1; n < COMP_CWORD; n++)); do
    if [[ -z $command ]]; then
      case \${COMP_WORDS[n]} in ${commands.map((command) => command.name).join('|')}) command=\${COMP_WORDS[n]} ;; esac
      continue
    fi
    case $command:\${COMP_WORDS[n]} in
${skips.join('\n')}
      *:-*|*:=) ;;
      *) arguments=1 ;;
    esac
  done
  case $command:$previous in
${values.join('\n')}
  esac
  case $command in
    '') ${offer({ words: [...commands.map((command) => command.name), ...flagsOf(options)] })} ;;
${words.join('\n')}
  esac
}
complete -F _${name} ${name}
`;
}

/** Matches `command:flag`. */
const patternOf = (command: string, flags: readonly string[]) => flags.map((flag) => `${command}:${flag}`).join('|');

/** A statement that offers what may stand there. */
function offer(what: Completable): string {
  if (what === 'anything') return ':';
  if (what === 'files') return 'compopt -o default 2> /dev/null';
  if (what === 'folders') return 'compopt -o dirnames 2> /dev/null';
  return `COMPREPLY=($(compgen -W '${what.words.join(' ')}' -- "$word"))`;
}

const flagsOf = (options: readonly CompletableOption[]) => options.flatMap(({ flags }) => flags);
