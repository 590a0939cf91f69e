import './phone.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PhoneNumbers } from '../../call/phone-messages.js';
import type { RunnerStatus } from '../../call/runner-status.js';
import { askJson } from '../link/runner-link.js';
import type { RunnerView } from '../link/use-runner.js';
import { DialOut } from './dial-out.js';
import { Handset, type PhoneView } from './handset.js';
import { LiveCall } from './live-call.js';
import { NumberInput, numberIn } from './number-input.js';
import { PhoneNews } from './phone-news.js';

export interface PhoneProps {
  readonly runner: RunnerView;
  readonly token: string | undefined;
  /** The user looks at something else: the phone takes little room, and none without a call. */
  readonly isAside: boolean;
}

/**
 * The phone of the page, over the sandbox's own wire. On an account there is none, and the bot can call a real one. It has to stay where
 * it is in the tree while the user looks around: its call ends with it.
 */
export function Phone({ runner, token, isAside }: PhoneProps) {
  const { phone, view } = usePhone(token);
  const numbers = usePhoneNumbers(token, runner.status);
  if (numbers === undefined) return null;
  if (isAside && view.state === 'idle') return null;
  const standIns = runner.status?.standIns === true;
  return (
    <section class={`panel phone ${isAside ? 'aside' : ''}`} aria-labelledby="phone-title" data-state={view.state}>
      <h2 id="phone-title">{numbers === null ? 'Have it call me' : 'Phone'}</h2>
      {numbers !== null && view.state === 'idle' && (
        <>
          <PhoneNews view={view} record={recordOf(runner, view)} />
          <DialForm numbers={numbers} onCall={(from, to) => void phone.call(from, to)} />
        </>
      )}
      {view.state !== 'idle' && <LiveCall phone={phone} view={view} token={token} standIns={standIns} />}
      {view.state === 'idle' && <DialOut runner={runner} token={token} numbers={numbers} />}
    </section>
  );
}

/** What the runner knows of the call that the phone has had last: the phone itself hears the carrier's word only. */
const recordOf = ({ calls }: RunnerView, { end }: PhoneView) =>
  end && calls.find(({ id, providerCallId }) => id === end.callId || providerCallId === end.callId);

/** Null on an account, where there is nothing to ring; undefined until it is known. */
function usePhoneNumbers(token: string | undefined, status: RunnerStatus | undefined): PhoneNumbers | null | undefined {
  const [numbers, setNumbers] = useState<PhoneNumbers | null>();
  const { hasPhone, startedAt } = status ?? {};
  useEffect(() => {
    if (hasPhone === false) setNumbers(null);
    if (!hasPhone) return;
    const over = new AbortController();
    askJson<PhoneNumbers>('/phone/numbers', token, over.signal)
      .catch(() => null)
      .then((answer) => over.signal.aborted || setNumbers(answer));
    return () => over.abort();
  }, [token, hasPhone, startedAt]);
  return numbers;
}

/** The phone of this page: one for as long as the page is there, whatever part of it the user looks at. */
function usePhone(token: string | undefined): { phone: Handset; view: PhoneView } {
  const held = useRef<Handset | undefined>(undefined);
  held.current ??= new Handset();
  const phone = held.current;
  const [view, setView] = useState(phone.view);
  useEffect(() => {
    phone.token = token;
  }, [phone, token]);
  useEffect(() => {
    const show = () => setView(phone.view);
    phone.addEventListener('change', show);
    const hangUp = () => phone.hangUp();
    addEventListener('pagehide', hangUp);
    return () => {
      phone.removeEventListener('change', show);
      removeEventListener('pagehide', hangUp);
      hangUp();
    };
  }, [phone]);
  return { phone, view };
}

interface DialFormProps {
  readonly numbers: PhoneNumbers;
  readonly onCall: (from: string, to: string) => void;
}

/** Whom to ring, and as whom. */
function DialForm({ numbers: { number, numbers, callers }, onCall }: DialFormProps) {
  const [to, setTo] = useState(number ?? '');
  const [from, setFrom] = useState(callers[0]?.number ?? '');
  const [isChecked, setChecked] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  return (
    <form
      ref={form}
      class="dial"
      onSubmit={(event) => {
        event.preventDefault();
        const [caller, callee] = [numberIn(from), numberIn(to)];
        setChecked(true);
        if (caller !== undefined && callee !== undefined) onCall(caller, callee);
        else form.current?.querySelectorAll('input')[callee === undefined ? 0 : 1]?.focus();
      }}
    >
      <NumberInput label="Number to ring" value={to} setValue={setTo} known={numbers} isChecked={isChecked} />
      <NumberInput label="Your number" value={from} setValue={setFrom} known={callers} isChecked={isChecked} />
      <button type="submit" class="main">
        Call
      </button>
    </form>
  );
}
