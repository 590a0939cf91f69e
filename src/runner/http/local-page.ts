import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PAGE = fileURLToPath(new URL('../../../assets/runner.html', import.meta.url));

/** What the runner is and does, for its page and for programs; plain JSON. */
export interface RunnerStatus {
  readonly version: 1;
  readonly state: 'ready' | 'no_bot' | 'unreachable' | 'stopping';
  /** Its name, without the folder. */
  readonly botFile: string;
  readonly transport: 'carrier' | 'rooms';
  /** The bot's own, E.164; null when it is not known. */
  readonly number: string | null;
  readonly publicUrl: string;
  /** Bot processes that could take a call now. */
  readonly readyBots: number;
  readonly liveCalls: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

export interface LocalPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

/** The page that shows a developer the runner and its calls. It may run and load only what is in it, and ask its own server. */
export function localPage(): LocalPage {
  const html = readFileSync(PAGE, 'utf8');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(html, 'script')}`,
    `style-src ${hashOf(html, 'style')}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  const headers = {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
  return { headers, html };
}

/** The source of the page's only inline element of this kind, as the policy names it. */
function hashOf(page: string, element: 'script' | 'style'): string {
  const [, content = ''] = new RegExp(`<${element}>([^]*?)</${element}>`).exec(page) ?? [];
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}
