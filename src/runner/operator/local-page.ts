import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hashOf } from '../../base/http/inline-hash.js';

const PAGE = fileURLToPath(new URL('../../../assets/runner.html', import.meta.url));

export interface LocalPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

/**
 * The page that shows a developer the runner and its calls (compiled from `src/page`). It may run and load only what is in it, and ask
 * its own server.
 */
export function localPage(): LocalPage {
  const html = readFileSync(PAGE, 'utf8');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(html, 'script')} blob:`, // what of the phone runs on the audio thread has to be a file
    `style-src ${hashOf(html, 'style')}`,
    "connect-src 'self'",
    "media-src 'self' blob:",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // No text becomes a part of the page: a script that would make it one fails.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  const headers = {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'microphone=(self), camera=(), geolocation=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
  return { headers, html };
}
