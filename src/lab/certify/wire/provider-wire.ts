import { parseFields } from '../../../base/http/json-fields.js';
import type { Carrier, WebhookContent } from '../../../providers/carrier.js';
import type { RoomProvider } from '../../../providers/rooms/room-provider.js';
import { mediaTypeOf } from '../../../runner/calls/carrier/carrier-routes.js';
import type { SeenRequest } from './wire-front.js';
import type { WireNames } from './wire-recorder.js';

/** How the messages of a carrier are named. @param apiBase of its REST API */
export function carrierWire(carrier: Carrier, apiBase: string): WireNames {
  return {
    apiBase,
    webhook(seen) {
      const { event, dial, providerCallId } = carrier.parseWebhook(contentOf(seen));
      return { event: dial ? `${event} ${dial.phase}` : event, callId: providerCallId };
    },
    parameters(seen) {
      const { body, parameters, contentType } = contentOf(seen);
      if (contentType === 'application/json') return parseFields(body.toString()) ?? {};
      const ofUrl = new Set(new URL(seen.path, 'http://localhost').searchParams.keys());
      return Object.fromEntries(
        [...parameters].filter(([name]) => !ofUrl.has(name) || carrier.isWebhookParameter(name)),
      );
    },
  };
}

/** How those of a room provider are named. */
export function roomsWire(provider: RoomProvider, apiBase: string): WireNames {
  return {
    apiBase,
    webhook({ body }) {
      try {
        const told = provider.parseWebhook(body);
        return { event: told.kind, callId: told.kind === 'call' ? told.providerCallId : undefined };
      } catch {
        return { event: 'no JSON', callId: undefined };
      }
    },
    parameters: ({ body }) => parseFields(body.toString()) ?? {},
  };
}

function contentOf({ path, headers, body }: SeenRequest): WebhookContent & { readonly body: Buffer } {
  const contentType = mediaTypeOf({ headers });
  const form = contentType === 'application/json' ? [] : [...new URLSearchParams(body.toString())];
  const { searchParams } = new URL(path, 'http://localhost');
  return { parameters: new Map([...searchParams, ...form]), body, contentType };
}
