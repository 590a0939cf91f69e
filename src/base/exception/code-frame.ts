/** Longest piece of a line that is shown, in characters. */
const MOST_SHOWN = 120;
/** How much of a long line stands before the column. */
const SHOWN_BEFORE = 80;
/** Names of variables whose values must not be shown. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASS|AUTH|CREDENTIAL/i;
/** Shorter values are words. */
const SHORTEST_SECRET = 8;
/** A text in quotes that is written like a key: long, of letters and digits. */
const KEY_LIKE = /(["'`])(?=[^"'`]*\d)(?=[^"'`]*[A-Za-z])[\w+/=.-]{20,}\1/g;
const HIDDEN = '[redacted]';

/** Values of an environment that must not be shown, the longest first. */
export const secretsOf = (environment: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(environment)
    .filter(([name, value = '']) => SECRET_NAME.test(name) && value.length >= SHORTEST_SECRET)
    .map(([, value]) => value as string)
    .toSorted((a, b) => b.length - a.length);

/** User and password of an address; and what is passed in it under such a name. */
const IN_ADDRESS =
  /(:\/\/)[^\s/@:"'`]{0,200}:[^\s/@"'`]{1,200}(?=@)|([?&](?:[\w-]{0,40}(?:key|token|secret|pass|auth)[\w-]{0,40})=)[^\s&"'`]{1,400}/gi;

/** A text without them, and without passwords of addresses. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text)
    .replaceAll(IN_ADDRESS, (_, before?: string, name?: string) => `${before ?? name}${HIDDEN}`);

/**
 * A line of code with the one before and the one after, as `> 7 |   call.say(name);`, and a caret below its column. Keys are not shown.
 * @param source the whole file
 * @param line from 1
 * @param column from 1
 */
export function codeFrame(source: string, line: number, column?: number, secrets: readonly string[] = []): string[] {
  const lines = source.split(/\r?\n/);
  const failed = lines[line - 1];
  if (failed === undefined) return [];
  const shown = (text: string) =>
    withoutSecrets(text, secrets).replaceAll(KEY_LIKE, `$1${HIDDEN}$1`).replaceAll('\t', '  ');
  const at = column === undefined ? 0 : shown(failed.slice(0, column - 1)).length;
  const from = at > SHOWN_BEFORE ? at - SHOWN_BEFORE : 0;
  const cut = (text: string) => text.slice(from, from + MOST_SHOWN).trimEnd();
  const [first, last] = [Math.max(1, line - 1), Math.min(lines.length, line + 1)];
  const width = String(last).length;
  const gutter = (no: number | '', mark = ' ') => `${mark} ${String(no).padStart(width)} |`;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index).flatMap((no) => {
    const text = `${gutter(no, no === line ? '>' : ' ')} ${cut(shown(lines[no - 1] ?? ''))}`.trimEnd();
    return no === line && column !== undefined ? [text, `${gutter('')} ${' '.repeat(at - from)}^`] : [text];
  });
}
