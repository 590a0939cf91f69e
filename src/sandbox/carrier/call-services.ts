import type { Logger } from '../../base/logger.js';
import type { PhoneCall } from '../network/call.js';
import type { DialledLeg, LegSetup } from '../network/network.js';
import type { TextSpeaker } from '../network/speech.js';
import type { WebhookTarget } from '../network/webhook-target.js';
import type { CarrierFace, WebhookParameters } from './face.js';
import type { SandboxFaults } from './faults.js';
import type { WebhookClient } from './webhooks.js';

/** What the network provides for its calls. */
export interface CallServices {
  readonly face: CarrierFace;
  readonly webhooks: WebhookClient;
  readonly speech: TextSpeaker;
  readonly logger: Logger;
  /** What goes wrong with media streams. */
  readonly faults: Pick<
    SandboxFaults,
    'brokenStreams' | 'breakStreamsAfterMs' | 'hasTwoCallNames' | 'losesMarks' | 'otherCodec'
  >;
  /**
   * Sends a webhook whose answer does not matter; the call's phone is told when it fails.
   * @param name what it tells, for the phone
   * @returns settles when it was answered or has failed; never rejects
   */
  readonly inform: (
    call: PhoneCall,
    name: string,
    target: WebhookTarget,
    parameters: WebhookParameters,
  ) => Promise<void>;
  /** Begins a call to a third party for a call that is going on; its phone does not ring yet. */
  readonly dialLeg: (setup: LegSetup) => DialledLeg;
}
