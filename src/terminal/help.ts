import { type AddHelpTextContext, Help, type HelpConfiguration } from 'commander';

/** Least room for what an option means beside its name, in characters; with less it stands below. */
const LEAST_BESIDE = 40;
/** What commander writes before a command's usage. */
const USAGE = 'Usage: ';
const INDENT = 2;
const BELOW_INDENT = 6;

/** How help is laid out: no line is longer than the terminal is wide, so that none breaks inside a word. */
export const HELP_LAYOUT: HelpConfiguration = {
  minWidthToWrap: 1,
  commandUsage(this: Help, command) {
    const usage = Help.prototype.commandUsage.call(this, command);
    return this.boxWrap(usage, (this.helpWidth ?? 80) - USAGE.length).replaceAll('\n', `\n${' '.repeat(USAGE.length)}`);
  },
  formatItem(this: Help, term, termWidth, description, helper) {
    const width = this.helpWidth ?? 80;
    const fitsBeside = description === '' ? termWidth + INDENT <= width : termWidth + LEAST_BESIDE <= width;
    if (fitsBeside) return Help.prototype.formatItem.call(this, term, termWidth, description, helper);
    const below = (text: string) => helper.boxWrap(text, width - BELOW_INDENT).replace(/^/gm, ' '.repeat(BELOW_INDENT));
    const lines = below(term).slice(BELOW_INDENT - INDENT);
    return description === '' ? lines : `${lines}\n${below(description)}`;
  },
};

/** What follows the options: a paragraph, or a list of things to type and what each does. */
export type HelpNote = string | { heading: string; rows: ReadonlyArray<readonly [term: string, meaning?: string]> };

/** For `addHelpText('after', …)`: wrapped as the options are. */
export function notes(...all: readonly HelpNote[]): (context: AddHelpTextContext) => string {
  return ({ command, error }) => {
    const { getOutHelpWidth, getErrHelpWidth } = command.configureOutput();
    const helper = command.createHelp();
    const helpWidth = (error ? getErrHelpWidth?.() : getOutHelpWidth?.()) ?? 80;
    helper.prepareContext({ error, helpWidth });
    const blocks = all.map((note) => {
      if (typeof note === 'string') return helper.boxWrap(note, helpWidth);
      const termWidth = Math.max(...note.rows.map(([term]) => term.length));
      return [
        helper.boxWrap(note.heading, helpWidth),
        ...note.rows.map(([term, meaning = '']) => helper.formatItem(term, termWidth, meaning, helper)),
      ].join('\n');
    });
    return `\n${blocks.join('\n\n')}`;
  };
}
