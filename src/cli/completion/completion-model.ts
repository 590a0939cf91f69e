import type { Argument, Command, Option } from 'commander';

/** What may stand at one place of a command line. */
export type Completable = { readonly words: readonly string[] } | 'files' | 'folders' | 'anything';

export interface CompletableOption {
  /** `--port`, `-p`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Undefined when it takes none. */
  readonly value: Completable | undefined;
}

export interface CompletableCommand {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletableOption[];
  /** What its first argument may be; undefined when it takes none. */
  readonly argument: Completable | undefined;
}

/** A program as far as a shell can complete it. */
export interface CompletableProgram {
  readonly name: string;
  readonly options: readonly CompletableOption[];
  readonly commands: readonly CompletableCommand[];
}

const HELP: CompletableOption = { flags: ['--help', '-h'], description: 'display help', value: undefined };

/** Reads what commander knows of its commands, so that a completion cannot differ from what is accepted. */
export function completableProgram(program: Command): CompletableProgram {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: optionsOf(command),
    argument: argumentOf(command.registeredArguments[0]),
  }));
  const help: CompletableCommand = {
    name: 'help',
    description: 'display help for command',
    options: [],
    argument: { words: commands.map(({ name }) => name) },
  };
  return { name: program.name(), options: optionsOf(program), commands: [...commands, help] };
}

function optionsOf(command: Command): CompletableOption[] {
  return [
    ...command.options
      .filter(({ hidden }) => !hidden)
      .map((option) => ({
        flags: [option.long, option.short].filter((flag) => flag !== undefined && flag !== null),
        description: option.description,
        value: completableValue(option),
      })),
    HELP,
  ];
}

function completableValue({ flags, argChoices, required, optional }: Option): Completable | undefined {
  if (!required && !optional) return undefined;
  return argChoices ? { words: argChoices } : byValueName(/[<[]([\w-]+)/.exec(flags)?.[1]);
}

function argumentOf(argument: Argument | undefined): Completable | undefined {
  if (!argument) return undefined;
  return argument.argChoices ? { words: argument.argChoices } : byValueName(argument.name());
}

/** The names by which our commands call what is a path. */
function byValueName(name: string | undefined): Completable {
  if (name === 'file' || name === 'bot') return 'files';
  if (name === 'directory' || name === 'folder') return 'folders';
  return 'anything';
}
