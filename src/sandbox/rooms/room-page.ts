import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Router } from 'express';

const PAGE = fileURLToPath(new URL('../../../assets/room.html', import.meta.url));

/** The page that a browser shows at a room's address; its content security policy allows its own script and style only. */
export function roomPage(): Router {
  const page = readFileSync(PAGE, 'utf8');
  const headers = {
    'content-security-policy': [
      "default-src 'none'",
      `script-src ${hashOf(page, 'script')}`,
      `style-src ${hashOf(page, 'style')}`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'permissions-policy': 'microphone=(self), camera=(), geolocation=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
  return Router({ caseSensitive: true, strict: true }).get('/:name', (_request, response) => {
    response.set(headers).type('html').send(page);
  });
}

/** The source of the page's only inline element of this kind, as the policy names it. */
function hashOf(page: string, element: 'script' | 'style'): string {
  const [, content = ''] = new RegExp(`<${element}>([^]*?)</${element}>`).exec(page) ?? [];
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}
