import { settlesWithin } from '../../base/async/deadline.js';
import { cleanText } from '../../base/clean-text.js';
import { VoicebotError } from '../../base/errors.js';
import { importOptionalPackage } from '../../base/optional-package.js';
import type { TunnelLink, TunnelProvider } from './contract.js';
import { publicOrigin, tunnelFailure } from './tunnel-failure.js';

/** The part of `@ngrok/ngrok` that we use; users install this package only when they want ngrok. */
export interface NgrokModule {
  forward(options: { addr: string; authtoken: string }): Promise<NgrokListener>;
}

interface NgrokListener {
  url(): string | null;
  close(): Promise<void>;
}

export interface NgrokOptions {
  readonly authtoken: string | undefined;
  /** Default: imports the package. */
  readonly load?: () => Promise<NgrokModule>;
}

const CLOSE_WITHIN_MS = 2_000;

export async function loadNgrok(): Promise<NgrokModule> {
  const module = (await importOptionalPackage('@ngrok/ngrok')) as NgrokModule & { default?: NgrokModule };
  return module.default ?? module;
}

export function ngrokProvider({ authtoken, load = loadNgrok }: NgrokOptions): TunnelProvider {
  return {
    kind: 'ngrok',
    note: 'good for development and small loads: an account of your own, with the limits of its plan',
    open: async ({ port }, signal) => {
      if (authtoken === undefined) {
        throw new VoicebotError('VB_CREDENTIALS_MISSING', 'ngrok needs NGROK_AUTHTOKEN', {
          hint: 'Copy it from https://dashboard.ngrok.com/get-started/your-authtoken into .env, or use --tunnel cloudflared.',
        });
      }
      const ngrok = await load().catch((cause: unknown) => {
        const hint = 'Install it: npm install @ngrok/ngrok.';
        throw tunnelFailure('ngrok', 'its package cannot be loaded', { hint, cause });
      });
      signal.throwIfAborted();
      return linkOf(await forward(ngrok, port, authtoken, signal));
    },
  };
}

/** ngrok has no way to cancel: a link that opens after the cancellation is closed. */
function forward(ngrok: NgrokModule, port: number, authtoken: string, signal: AbortSignal): Promise<NgrokListener> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    ngrok
      .forward({ addr: `127.0.0.1:${port}`, authtoken })
      .then(
        (listener) => (signal.aborted ? close(listener) : resolve(listener)),
        (error: unknown) => reject(refusal(error, authtoken)),
      )
      .finally(() => signal.removeEventListener('abort', giveUp));
  });
}

function linkOf(listener: NgrokListener): Promise<TunnelLink> | TunnelLink {
  const url = publicOrigin(listener.url());
  if (url === undefined) {
    return close(listener).then(() => {
      throw tunnelFailure('ngrok', 'it gave no https address');
    });
  }
  // ngrok reconnects by itself after a break; the checks of the public address show whether it has.
  return { url, maxConnections: undefined, lost: new Promise(() => {}), close: () => close(listener) };
}

async function close(listener: NgrokListener): Promise<void> {
  await settlesWithin(listener.close(), CLOSE_WITHIN_MS);
}

/** ngrok's message without the token, which ngrok repeats in it. For the same reason the error is not kept as `cause`. */
function refusal(error: unknown, authtoken: string): VoicebotError {
  const words = String((error as Error | undefined)?.message ?? error).replaceAll(authtoken, '…');
  const detail = cleanText(words.replaceAll(/\s+/g, ' ').trim(), 300);
  if (/\bERR_NGROK_10[567]\b/.test(words)) {
    const hint = 'Check NGROK_AUTHTOKEN: https://dashboard.ngrok.com/get-started/your-authtoken';
    return new VoicebotError('VB_CREDENTIALS_REFUSED', `ngrok: ${detail}`, { hint });
  }
  return tunnelFailure('ngrok', detail);
}
