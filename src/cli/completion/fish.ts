import type { Completable, CompletableOption, CompletableProgram } from './completion-model.js';

/** A completion script for fish. */
export function fishCompletion({ name, options, commands }: CompletableProgram): string {
  const line = (condition: string, ...words: string[]) =>
    `complete -c ${name} -n ${quoted(condition)} ${words.join(' ')}`;
  const none = '__fish_use_subcommand';
  return [
    `# Completes ${name} in fish. To have it now: ${name} completion fish | source`,
    `complete -c ${name} -f`,
    ...commands.map((command) => line(none, '-a', command.name, '-d', quoted(command.description))),
    ...options.map((option) => line(none, ...wordsOf(option))),
    ...commands.flatMap((command) => {
      const chosen = `__fish_seen_subcommand_from ${command.name}`;
      return [
        ...(command.argument ? argumentWords(command.argument).map((words) => line(chosen, words)) : []),
        ...command.options.map((option) => line(chosen, ...wordsOf(option))),
      ];
    }),
    '',
  ].join('\n');
}

function wordsOf({ flags, description, value }: CompletableOption): string[] {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  return [...names, ...(value ? valueWords(value) : []), '-d', quoted(description)];
}

/** `-x`: a value is needed and files are not offered; `-r -F`: they are. */
function valueWords(what: Completable): string[] {
  if (what === 'files') return ['-r', '-F'];
  if (what === 'anything') return ['-x'];
  return ['-x', '-a', what === 'folders' ? quoted('(__fish_complete_directories)') : quoted(what.words.join(' '))];
}

function argumentWords(what: Completable): string[] {
  if (what === 'files') return ['-F'];
  if (what === 'anything') return [];
  return [`-a ${what === 'folders' ? quoted('(__fish_complete_directories)') : quoted(what.words.join(' '))}`];
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
