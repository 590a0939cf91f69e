import { createHash } from 'node:crypto';

/** The source of the only inline element of this kind that a page has, as its policy names it. */
export function hashOf(page: string, element: 'script' | 'style'): string {
  const [, content = ''] = new RegExp(`<${element}>([^]*?)</${element}>`).exec(page) ?? [];
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}
