import type { RoomProvider } from '../contract.js';
import { parseDailyWebhook } from './webhook.js';
import { signWebhook, verifyWebhook } from './webhook-signature.js';

/** Daily, and the providers that speak its wire. */
export const daily: RoomProvider = {
  name: 'daily',
  defaultApiUrl: 'https://api.daily.co/v1',
  verifyWebhook,
  signWebhook,
  parseWebhook: parseDailyWebhook,
  async createRestClient(credentials) {
    // Loaded here so that processes which never make a request do not carry its HTTP client.
    const { DailyRestClient } = await import('./rest-client.js');
    return new DailyRestClient(credentials);
  },
  async createNumberRouting(credentials) {
    const { createDailyNumberRouting } = await import('./number-routing.js');
    return createDailyNumberRouting(credentials);
  },
};
