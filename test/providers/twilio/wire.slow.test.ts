import { isSid } from '../../../src/providers/twilio/identifier.js';
import { TwilioCodec } from '../../../src/providers/twilio/wire.js';
import { decodeDamaged } from '../damaged-messages.js';
import { recordedMessages } from '../plivo/recorded-messages.js';

test.each(['twilio', 'plivo/messages', 'telnyx'])(
  '100,000 mutations of the messages in %s neither throw nor end a call that goes on',
  (folder) => {
    const codec = new TwilioCodec('MZ18ad3ab5a668481ce02b83e7395059f0');
    const isCallId = (id: string) => isSid(id, 'CA');
    const { wrong } = decodeDamaged(codec, recordedMessages(folder), { count: 100_000, seed: 16, isCallId });
    expect(wrong).toEqual([]);
  },
);
