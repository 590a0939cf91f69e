import { RoomRefusal } from './contract.js';

/** 400: the request cannot be carried out as it is. @see rooms reference 1.1 */
export const invalidRequest = (info: string): RoomRefusal => new RoomRefusal(400, 'invalid-request-error', info);

/** 404: the provider has no word of its own for what is not there. @see rooms reference 1.1 */
export const notFound = (info: string): RoomRefusal => new RoomRefusal(404, 'invalid-request-error', info);
