import type { RequestObserver } from '../../base/http/rest-client.js';
import { type CarrierAccess, createCarrierAdapter } from './carrier/carrier-adapter.js';
import type { StartAdapter } from './provider-adapter.js';
import { createRoomsAdapter, type RoomsAccess } from './rooms/rooms-adapter.js';

/** @param onSent told of every request to the provider */
export const createAdapter = (access: CarrierAccess | RoomsAccess, onSent: RequestObserver): Promise<StartAdapter> =>
  access.kind === 'carrier' ? createCarrierAdapter(access, onSent) : createRoomsAdapter(access, onSent);
