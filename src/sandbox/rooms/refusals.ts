import { RoomRefusal } from './contract.js';

/** 400: the request cannot be carried out as it is. @see rooms reference 1.1 */
export const invalidRequest = (info: string): RoomRefusal => new RoomRefusal(400, 'invalid-request-error', info);

/** 404: there is no such room, configuration, call or path. @see rooms reference 1.1 */
export const notFound = (info: string): RoomRefusal => new RoomRefusal(404, 'not-found', info);

/**
 * @param exp seconds since the epoch
 * @param now milliseconds since the epoch
 * @throws RoomRefusal 400
 */
export function requireFuture(exp: number, now: number): void {
  if (exp * 1_000 <= now) throw invalidRequest(`exp was ${exp} which is in the past`);
}
