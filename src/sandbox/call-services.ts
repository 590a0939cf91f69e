import type { Logger } from '../logger.js';
import type { Call } from './call.js';
import type { Speech } from './speech.js';
import type { WebhookClient, WebhookParameters, WebhookTarget } from './webhooks.js';

/** What the network provides for its calls. */
export interface CallServices {
  readonly authId: string;
  /** Signs webhooks and stream upgrades. */
  readonly authToken: string;
  readonly webhooks: WebhookClient;
  readonly speech: Speech;
  readonly logger: Logger;
  /** Sends a webhook whose answer does not matter; the call's phone is told when it fails. */
  readonly inform: (call: Call, target: WebhookTarget, parameters: WebhookParameters) => void;
}
