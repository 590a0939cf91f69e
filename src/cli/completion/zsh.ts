import type { Completable, CompletableOption, CompletableProgram } from './completion-model.js';

/** A completion script for zsh: to be loaded by `source`, or as a file `_voicebot` in `fpath`. */
export function zshCompletion({ name, options, commands }: CompletableProgram): string {
  const described = commands.map((command) => `    ${quoted(`${command.name}:${plain(command.description)}`)}`);
  const cases = commands.map((command) => {
    const specs = [
      ...command.options.flatMap(specsOf),
      ...(command.argument ? [quoted(`1: :${actionOf(command.argument)}`)] : []),
    ];
    return `    ${command.name}) _arguments ${specs.join(' \\\n      ')} ;;`;
  });
  return `#compdef ${name}
# Completes ${name} in zsh. To have it now: source <(${name} completion zsh)
_${name}() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    if [[ $PREFIX == -* ]]; then
      _arguments ${options.flatMap(specsOf).join(' \\\n      ')}
    else
      _describe command commands
    fi
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _${name} ]]; then
  _${name} "$@"
else
  compdef _${name} ${name}
fi
`;
}

function specsOf({ flags, description, value }: CompletableOption): string[] {
  const end = value ? `: :${actionOf(value)}` : '';
  return flags.map((flag) => quoted(`${flag}[${plain(description)}]${end}`));
}

function actionOf(what: Completable): string {
  if (what === 'anything') return ' ';
  if (what === 'files') return '_files';
  if (what === 'folders') return '_files -/';
  return `(${what.words.join(' ')})`;
}

/** Without the signs that mean something in a specification. */
const plain = (text: string) => text.replace(/[[\]\\]/g, '').replaceAll(':', ' -');

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
