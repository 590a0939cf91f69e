import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CallRecord } from '../../call/call-record.js';
import { stateWords } from '../../call/end-text.js';

/** The present, every second while `isOn`: all who ask have the same one at the same moment. */
export function useNow(isOn: boolean): number {
  const [now, setNow] = useState(wholeSecond);
  useEffect(() => {
    if (!isOn) return;
    const look = () => {
      setNow(wholeSecond());
      timer = setTimeout(look, 1_000 - (Date.now() % 1_000));
    };
    let timer = setTimeout(look, 0);
    return () => clearTimeout(timer);
  }, [isOn]);
  return now;
}

const wholeSecond = () => Math.floor(Date.now() / 1_000) * 1_000;

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
