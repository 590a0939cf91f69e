import { isFields, type JsonFields, textOf } from '../../base/http/json-fields.js';
import type { Room, RoomRequest } from '../rooms/room-provider.js';
import { withSipScheme } from './dialin-settings.js';

/** A room as the provider tells it. */
export interface RoomDetails extends Room {
  readonly isPrivate: boolean;
  /** In seconds since the epoch; undefined when it never ends. */
  readonly expiresAt: number | undefined;
  /** Where telephone calls can be forwarded to, with `sip:`; empty when it takes none. */
  readonly sipEndpoints: readonly string[];
}

/** What the account lets be asked for. */
export interface RoomAbilities {
  readonly allowsDialout: boolean;
  readonly limitsIdling: boolean;
}

/** @see rooms reference 6.1 */
export function wireRoom(
  { name, expiresAt, dialin, idleSeconds }: RoomRequest,
  { allowsDialout, limitsIdling }: RoomAbilities,
): object {
  const idling = { max_idle_timeout_sec: idleSeconds };
  return {
    name,
    privacy: 'private',
    properties: {
      exp: expiresAt,
      eject_at_room_exp: true,
      start_video_off: true,
      ...(allowsDialout && { enable_dialout: true, ...(limitsIdling && { dialout_config: idling }) }),
      ...(dialin && {
        sip: {
          display_name: dialin.displayName,
          video: false,
          sip_mode: 'dial-in',
          num_endpoints: 1,
          ...(limitsIdling && { dialin_config: idling }),
        },
      }),
    },
  };
}

/** Undefined for what is no room. What is at its default is not told. @see rooms reference 6.1 */
export function readRoom(fields: JsonFields): RoomDetails | undefined {
  const name = textOf(fields.name);
  const url = textOf(fields.url);
  if (!name || !url || !URL.canParse(url)) return undefined;
  const config = isFields(fields.config) ? fields.config : {};
  const sip = isFields(config.sip_uri) ? config.sip_uri : {};
  const extra = Array.isArray(sip.extra_endpoints) ? sip.extra_endpoints : [];
  return {
    name,
    url,
    allowsDialout: config.enable_dialout === true,
    isPrivate: fields.privacy === 'private',
    expiresAt: typeof config.exp === 'number' ? config.exp : undefined,
    sipEndpoints: [sip.endpoint, ...extra].flatMap((endpoint) => textOf(endpoint) ?? []).map(withSipScheme),
  };
}
