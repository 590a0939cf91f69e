import type { CallRecord } from '../../../src/call/call-record.js';
import type { CallFolder } from '../../../src/call/folder/read-call-folder.js';
import { transcriptOf } from '../../../src/call/folder/transcript.js';
import type { TimelineEntry, TimelineEvent } from '../../../src/call/timeline.js';

/** When the calls of these tests are answered. */
export const ANSWERED_AT = 1_800_000_000_000;

type Timed = readonly [ms: number, entry: TimelineEntry];

/** The bot says a text, from one time to another one, in milliseconds since the answer. */
export const botSays = (from: number, to: number, text: string, unheard?: string): Timed[] => [
  [from, { type: 'saying', text: unheard ? `${text} ${unheard}` : text, startsAt: ANSWERED_AT + from }],
  [from, { type: 'speech_started', speaker: 'bot' }],
  [
    to,
    {
      type: 'said',
      speaker: 'bot',
      text,
      startedAt: ANSWERED_AT + from,
      ...(unheard && { unheard }),
      wasInterrupted: unheard !== undefined,
    },
  ],
  [to, { type: 'speech_stopped', speaker: 'bot', wasInterrupted: unheard !== undefined }],
];

/** The caller says a text, which the bot understands a little later. */
export const callerSays = (from: number, to: number, text: string): Timed[] => [
  [from, { type: 'speech_started', speaker: 'caller' }],
  [to, { type: 'speech_stopped', speaker: 'caller' }],
  [to + 150, { type: 'said', speaker: 'caller', text }],
];

export const callerPresses = (at: number, keys: string): Timed => [at, { type: 'keys', direction: 'in', keys }];

/** The folder of a call that was not recorded, with these events. */
export function callOf(events: readonly Timed[], endMs: number, record: Partial<CallRecord> = {}): CallFolder {
  const all = events
    .map(([ms, entry]) => ({ ...entry, at: ANSWERED_AT + ms, source: 'bot' }) as TimelineEvent)
    .sort((one, other) => one.at - other.at);
  const known = {
    id: 'call-1',
    direction: 'inbound',
    from: '+12025550142',
    to: '+12025550100',
    state: 'ended',
    attempt: 1,
    startedAt: ANSWERED_AT - 1_000,
    answeredAt: ANSWERED_AT,
    endedAt: ANSWERED_AT + endMs,
    endReason: 'caller_hung_up',
    ...record,
  } as CallRecord;
  return {
    path: '/calls/call-1',
    record: known,
    events: all,
    transcript: transcriptOf(all),
    isLive: false,
    missing: [],
  };
}
