import { decodeDamaged } from '../../../src/lab/kit/conformance/damaged-messages.js';
import { isTelnyxIdentifier } from '../../../src/providers/telnyx/identifier.js';
import { TelnyxCodec } from '../../../src/providers/telnyx/wire.js';
import { recordedMessages } from '../plivo/recorded-messages.js';

const STREAM = { stream_id: '32de0dea-53cb-4b21-89a4-9e1819c043bc' };
/** What a stream says after its beginning. @see carrier reference 7.2 */
export const MESSAGES: readonly object[] = [
  {
    event: 'media',
    sequence_number: '4',
    media: { track: 'inbound', chunk: '2', timestamp: '20', payload: '//79/A==' },
  },
  { event: 'dtmf', sequence_number: '5', occurred_at: '2026-01-02T03:04:05Z', dtmf: { digit: '1' } },
  { event: 'mark', sequence_number: '6', mark: { name: 'said 1' } },
  { event: 'error', payload: { code: 100_003, title: 'malformed_frame', detail: 'not JSON' } },
  { event: 'stop', sequence_number: '7', stop: { user_id: 'u', call_control_id: 'v3:abc' } },
];
const SAID = MESSAGES.map((message) => JSON.stringify({ ...message, ...STREAM }));

/** What becomes of mutations of what this carrier says, and of what others say. */
export function checkDamaged(count: number): void {
  for (const [corpus, share] of [
    [[...recordedMessages('telnyx'), ...SAID], 1],
    [recordedMessages('twilio'), 0.1],
    [recordedMessages('plivo/messages'), 0.1],
  ] as const) {
    const settings = { count: count * share, seed: 16, isCallId: isTelnyxIdentifier };
    expect(decodeDamaged(new TelnyxCodec(), corpus, settings).wrong).toEqual([]);
  }
}
