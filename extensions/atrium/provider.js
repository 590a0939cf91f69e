import { trialWebhook, verifyWebhook } from './signature.js';
import { parseWebhook } from './webhook.js';

/**
 * Atrium, which does not exist: the README has its wire.
 * @type {import('voicebot/provider').RoomProvider}
 */
export const atrium = {
  name: 'atrium',
  defaultApiUrl: 'https://api.atrium.example/v2',
  keyVariable: 'ATRIUM_API_KEY',
  verifyWebhook,
  trialWebhook,
  parseWebhook,
  async createRestClient(credentials, options) {
    const { AtriumClient } = await import('./rest.js');
    return new AtriumClient(credentials, options);
  },
  async createNumberRouting(credentials) {
    const { AtriumNumbers } = await import('./numbers.js');
    return new AtriumNumbers(credentials);
  },
  preload: () => import('./rest.js'),
  loadClient: async () => (await import('./join.js')).joinSpace,
};
