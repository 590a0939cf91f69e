import { decodeDamaged } from '../../../src/lab/kit/conformance/damaged-messages.js';
import { isSid } from '../../../src/providers/twilio/identifier.js';
import { TwilioCodec } from '../../../src/providers/twilio/wire.js';
import { recordedMessages } from '../plivo/recorded-messages.js';

test.each([
  ['twilio', 20_000],
  ['plivo/messages', 2_000],
  ['telnyx', 2_000],
])('mutations of the messages in %s, %d of them, neither throw nor end a call that goes on', (folder, count) => {
  const codec = new TwilioCodec('MZ18ad3ab5a668481ce02b83e7395059f0');
  const isCallId = (id: string) => isSid(id, 'CA');
  const { wrong } = decodeDamaged(codec, recordedMessages(folder), { count, seed: 16, isCallId });
  expect(wrong).toEqual([]);
});
