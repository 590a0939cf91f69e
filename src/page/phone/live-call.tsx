import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type DtmfDigit, isDtmfDigit } from '../../base/audio/dtmf-digit.js';
import type { RunnerStatus } from '../../call/runner-status.js';
import type { CallView } from '../link/use-call.js';
import type { Handset, PhoneView } from './handset.js';
import { HangUpIcon, KeypadIcon, MicrophoneIcon, MutedIcon } from './icons.js';
import { PhoneNews } from './phone-news.js';
import { StandInEars } from './stand-in-ears.js';
import { TypedSentence } from './typed-sentence.js';
import { useBrowserEars } from './use-browser-ears.js';

const KEYS: readonly DtmfDigit[] = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'];
const SHOWN_MS = 150;

export interface LiveCallProps {
  readonly phone: Handset;
  readonly view: PhoneView;
  /** What is known of it. */
  readonly call: CallView;
  readonly token: string | undefined;
  readonly status: RunnerStatus | undefined;
  /** Whether a link leads to the call's page. */
  readonly hasLink: boolean;
  /** What stands beside it. */
  readonly children: ComponentChildren;
}

/** What a caller can do in a call. */
export function LiveCall({ phone, view, call, token, status, hasLink, children }: LiveCallProps) {
  const { state, isMuted, microphone, pressed } = view;
  const box = useRef<HTMLElement>(null);
  const [shown, setShown] = useState<DtmfDigit>();
  const [isPadOpen, setPadOpen] = useState(false);
  const line = useRef<HTMLInputElement>(null);
  const standIns = status?.standIns === true;
  const isDeaf = standIns && microphone === 'on';
  const ears = useBrowserEars({
    phone,
    callId: isDeaf && state === 'answered' ? view.callId : undefined,
    isMuted,
    events: call.events,
    token,
    language: status?.language ?? 'en-US',
  });
  const press = (digit: DtmfDigit) => {
    phone.press(digit);
    setShown(digit);
    setTimeout(() => setShown(undefined), SHOWN_MS);
  };
  // From the answer on the keyboard is a keypad, unless the user has gone elsewhere meanwhile.
  useLayoutEffect(() => {
    if (state === 'answered' && !document.activeElement?.matches('input, button')) box.current?.focus();
  }, [state]);
  const isTalking = state === 'answered';
  return (
    <section
      ref={box}
      class="live"
      aria-label="The call: the keys 0 to 9, * and # are those of the phone"
      tabIndex={-1}
      onKeyDown={(event) => {
        const { key, target, ctrlKey, altKey, metaKey } = event;
        if (ctrlKey || altKey || metaKey || (target as Element).matches('input')) return;
        const digit = key.toUpperCase();
        if (!isTalking || !isDtmfDigit(digit)) return;
        event.preventDefault();
        press(digit);
      }}
    >
      <PhoneNews view={view} record={call.record} hasLink={hasLink} />
      <div class="controls">
        {microphone === 'asking' && state === 'opening' && (
          <button type="button" onClick={() => phone.callWithout()}>
            Call without it
          </button>
        )}
        <button
          type="button"
          class="round"
          aria-pressed={isMuted}
          disabled={microphone !== 'on'}
          onClick={() => phone.mute(!isMuted)}
        >
          <span class="disc">{isMuted ? <MutedIcon /> : <MicrophoneIcon />}</span>
          {isMuted ? 'Unmute' : 'Mute'}
        </button>
        <button
          type="button"
          class="round keys"
          aria-expanded={isPadOpen}
          aria-controls="keypad"
          onClick={() => setPadOpen(!isPadOpen)}
        >
          <span class="disc">
            <KeypadIcon />
          </span>
          Keys
        </button>
        <button type="button" class="round hang-up" onClick={() => phone.hangUp()}>
          <span class="disc">
            <HangUpIcon />
          </span>
          Hang up
        </button>
        <LevelMeter phone={phone} isOn={isTalking} />
      </div>
      {isDeaf && <StandInEars phone={phone} events={call.events} ears={ears} line={line} />}
      {status?.isSandbox === false && (
        <p class="stays quiet">This call stays on this machine. No carrier is involved.</p>
      )}
      <TypedSentence phone={phone} view={view} events={call.events} token={token} standIns={standIns} line={line} />
      <div class={`pad ${isPadOpen ? 'is-open' : ''}`} id="keypad">
        <div class="keypad">
          {KEYS.map((digit) => (
            <button
              key={digit}
              type="button"
              disabled={!isTalking}
              class={shown === digit ? 'down' : ''}
              aria-label={`Press ${digit}`}
              onClick={() => press(digit)}
            >
              {digit}
            </button>
          ))}
        </div>
        <p class="pressed" aria-live="polite">
          {pressed}
        </p>
      </div>
      {children}
    </section>
  );
}

const EVERY_MS = 60;
/** Quieter than this shows as nothing, in dBFS. */
const LEAST_DB = -60;

/** How loud the caller is. */
function LevelMeter({ phone, isOn }: { phone: Handset; isOn: boolean }) {
  const meter = useRef<HTMLMeterElement>(null);
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => {
      if (meter.current) meter.current.value = Math.max(LEAST_DB, phone.levelDb);
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [phone, isOn]);
  return <meter ref={meter} class="level" min={LEAST_DB} max={0} value={LEAST_DB} aria-label="How loud you are" />;
}
