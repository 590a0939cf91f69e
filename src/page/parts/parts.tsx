import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CallRecord } from '../../call/call-record.js';
import { stateWords } from '../../call/end-text.js';

/** The present, again every `everyMs` while `isOn`. */
export function useNow(isOn: boolean, everyMs = 1_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [isOn, everyMs]);
  return now;
}

const GOOD = new Set(['caller_hung_up', 'bot_ended', 'transferred']);
const NEUTRAL = new Set([
  'no_answer',
  'busy',
  'rejected',
  'voicemail',
  'screened',
  'limit_reached',
  'runner_stopped',
  'transfer_unknown',
]);

/** How a call looks: going on, over as it should be, over otherwise, failed. */
export function toneOf({ state, endReason }: CallRecord): 'live' | 'good' | 'neutral' | 'bad' {
  if (state !== 'ended') return 'live';
  if (endReason !== undefined && GOOD.has(endReason)) return 'good';
  return endReason !== undefined && NEUTRAL.has(endReason) ? 'neutral' : 'bad';
}

export function StateChip({ call }: { call: CallRecord }) {
  return <span class={`chip ${toneOf(call)}`}>{stateWords(call)}</span>;
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A text with a button that copies it. */
export function Copyable({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <span class="copyable">
      <code>{text}</code>
      <button type="button" class="small quiet" aria-label={`Copy ${text}`} onClick={() => void copy()}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </span>
  );
}
