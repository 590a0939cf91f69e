import { callLengthMs, endedLengthMs } from '../../call/call-length.js';
import type { CallRecord } from '../../call/call-record.js';
import { phoneEndText } from '../../call/phone-end-text.js';
import { clock } from '../parts/format.js';
import { useNow } from '../parts/parts.js';
import type { PhoneView } from './handset.js';

const MICROPHONES = {
  asking: 'Your browser asks for the microphone.',
  on: '',
  refused: 'The microphone is not allowed. The keypad works, and so do sentences that you type.',
  absent: 'There is no microphone. The keypad works, and so do sentences that you type.',
  busy: 'Another program has the microphone. The keypad works, and so do sentences that you type.',
};

export interface PhoneNewsProps {
  readonly view: PhoneView;
  /** Of the phone's call, as soon as it is known: its clock counts. */
  readonly record: CallRecord | undefined;
  /** Whether a link leads to the call's page. */
  readonly hasLink: boolean;
}

/** How the phone's call goes, in a line, and what its microphone is up to. */
export function PhoneNews({ view, record, hasLink }: PhoneNewsProps) {
  const { state, callId, answeredAt, microphone, problem, hops } = view;
  const now = useNow(state === 'answered');
  const length = callLengthMs(record ?? { ...(answeredAt !== undefined && { answeredAt }) }, now);
  const latest = hops.at(-1);
  return (
    <div class="news">
      <p>
        <span role="status" class={problem ? 'wrong' : ''}>
          {stateWords(view, record)}
        </span>{' '}
        {state === 'answered' && length !== undefined && <span class="length">{clock(length)}</span>}{' '}
        {hasLink && callId !== undefined && <a href={`#/calls/${encodeURIComponent(callId)}`}>Look into the call</a>}
      </p>
      {microphone !== undefined && MICROPHONES[microphone] !== '' && (
        <p class={`microphone ${microphone === 'asking' ? '' : 'lacking'}`}>{MICROPHONES[microphone]}</p>
      )}
      {latest && (
        <details class="hops">
          <summary class={latest.ok ? '' : 'wrong'}>
            {latest.ok && latest.hop === 'stream' ? 'How the call was connected' : latest.text}
          </summary>
          <ol>
            {hops.map(({ text, ok, atMs }) => (
              <li key={atMs} class={ok ? '' : 'wrong'}>
                <span class="quiet">{(atMs / 1_000).toFixed(2)} s</span> {text}
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

function stateWords({ state, callId, end, problem }: PhoneView, record: CallRecord | undefined): string {
  if (problem !== undefined) return `${callId === undefined ? 'No call' : 'The call broke off'}: ${problem}.`;
  if (state === 'opening') return 'Opening the phone …';
  if (state === 'dialling') return 'Dialling …';
  if (state === 'ringing') return 'Ringing …';
  if (state === 'answered') return 'In a call';
  if (end === undefined) return 'Call the bot from here, with your microphone or without.';
  const lengthMs = endedLengthMs(record, end.durationMs);
  const length = lengthMs > 0 ? ` after ${clock(lengthMs)}` : '';
  return `The call ended${length}: ${phoneEndText(end, record)}.`;
}
