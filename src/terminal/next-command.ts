/** A command ends at a comma, a semicolon or the end of the sentence. A word of it may have quotes, as `shellWord` writes them. */
const COMMAND = /\b(?:npx voicebot|npm (?:install|pack|run))(?: (?:'[^']*'|\\'|[^\s,;'`.:)]|[.:)](?=\S))+)*/;
/** The same, all of them. */
const COMMANDS = new RegExp(COMMAND, 'g');
/** What a person fills in: `https://…`, `<command>`. */
const PLACEHOLDER = /…|<\w+>/;

/**
 * The command that a text for people says to type, such as that of a hint: the first one of `npx voicebot` or npm.
 * @returns undefined where there is none, or something is to be filled in first
 */
export function nextCommand(text: string | undefined): string | undefined {
  const command = text && COMMAND.exec(text)?.[0];
  return command && !PLACEHOLDER.test(command) ? command : undefined;
}

/** A text with `space` for each space within its commands, so that no line ends there. */
export const withWholeCommands = (text: string, space: string): string =>
  text.replaceAll(COMMANDS, (command) => command.replaceAll(' ', space));
