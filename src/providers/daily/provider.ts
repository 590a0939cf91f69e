import type { RoomProvider } from '../rooms/room-provider.js';
import { trialWebhook, verifyWebhook } from './signature.js';
import { parseDailyWebhook } from './webhooks.js';

/** Daily, and the providers that speak its wire. */
export const daily: RoomProvider = {
  name: 'daily',
  defaultApiUrl: 'https://api.daily.co/v1',
  keyVariable: 'DAILY_API_KEY',
  verifyWebhook,
  trialWebhook,
  parseWebhook: parseDailyWebhook,
  async createRestClient(credentials, options) {
    // Loaded here so that processes which never make a request do not carry its HTTP client.
    const { DailyRestClient } = await import('./rest.js');
    return new DailyRestClient(credentials, options);
  },
  async createNumberRouting(credentials) {
    const { createDailyNumberRouting } = await import('./numbers.js');
    return createDailyNumberRouting(credentials);
  },
  preload: () => import('./rest.js'),
};
