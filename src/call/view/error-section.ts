/** What docs/errors.md says of an error, as plain text. */
export interface ErrorSection {
  readonly summary: string;
  readonly cause: string;
  readonly cure: string;
}

/** @param page the text of docs/errors.md @returns undefined where it has no such section */
export function errorSectionOf(page: string, code: string): ErrorSection | undefined {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${code}\n`));
  const [, summary = '', rest = ''] = /^\w+\n+(.+?)\n\n(.*)$/s.exec(section ?? '') ?? [];
  const [, cause = ''] = /\*\*Cause:\*\* (.*?)(?=\n- \*\*|$)/s.exec(rest) ?? [];
  const [, cure = ''] = /\*\*Cure:\*\* (.*?)(?=\n- \*\*|$)/s.exec(rest) ?? [];
  return summary === '' ? undefined : { summary: plain(summary), cause: plain(cause), cure: plain(cure) };
}

/** Without the marks of Markdown. */
const plain = (text: string): string =>
  text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
