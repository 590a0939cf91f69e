import type { Dialect } from './dialect.js';

/** The carriers that the bench plays; each is loaded when it is asked for. */
const DIALECTS: Readonly<Record<string, () => Promise<Dialect>>> = {
  plivo: async () => (await import('./plivo.js')).plivoDialect,
  twilio: async () => (await import('./twilio.js')).twilioDialect,
  telnyx: async () => (await import('./telnyx.js')).telnyxDialect,
};

export function dialectOf(carrier = 'plivo'): Promise<Dialect> {
  const dialect = DIALECTS[carrier];
  if (!dialect) throw new Error(`the bench does not play ${carrier}`);
  return dialect();
}
