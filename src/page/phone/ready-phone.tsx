import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { PhoneNumbers } from '../../call/phone-messages.js';
import type { RunnerView } from '../link/use-runner.js';
import { DialOut } from './dial-out.js';
import type { Handset, PhoneView } from './handset.js';
import { CallIcon } from './icons.js';
import { NumberInput, numberIn } from './number-input.js';
import { PhoneNews } from './phone-news.js';
import type { DialOrder } from './use-dial-order.js';

export interface ReadyPhoneProps {
  readonly runner: RunnerView;
  readonly order: DialOrder;
  readonly phone: Handset;
  readonly view: PhoneView;
  /** Null where there is nothing to ring. */
  readonly numbers: PhoneNumbers | null;
  /** It stands where a call stood just now. */
  readonly isAfterCall: boolean;
}

/** One button that calls the bot; whom to ring, as whom, and calls of the bot's own are for those who look for more. */
export function ReadyPhone({ runner, order, phone, view, numbers, isAfterCall }: ReadyPhoneProps) {
  const form = useId();
  const more = useRef<HTMLDetailsElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // The button that had the focus is gone with the call.
  useEffect(() => {
    if (isAfterCall && document.activeElement === document.body) button.current?.focus({ preventScroll: true });
  }, []);
  const call = (from: string, to: string) => void phone.call(from, to);
  const isGone = runner.link === 'gone';
  const isOnAccount = runner.status?.isSandbox === false;
  if (numbers === null) {
    return (
      <fieldset class="able" disabled={isGone}>
        <DialOut runner={runner} order={order} numbers={null} />
      </fieldset>
    );
  }
  return (
    <fieldset class="able" disabled={isGone}>
      <button type="submit" form={form} class="call" ref={button}>
        <span class="disc">
          <CallIcon />
        </span>
        Call
      </button>
      <PhoneNews view={view} record={undefined} hasLink={false} />
      {isOnAccount && <p class="quiet">This call stays on this machine. No carrier is involved.</p>}
      <details class="more" ref={more}>
        <summary>More</summary>
        <CallForm
          id={form}
          numbers={numbers}
          asksWhom={!isOnAccount}
          onCall={call}
          onProblem={() => more.current?.setAttribute('open', '')}
        />
        <DialOut runner={runner} order={order} numbers={isOnAccount ? null : numbers} />
      </details>
    </fieldset>
  );
}

interface CallFormProps {
  readonly id: string;
  readonly numbers: PhoneNumbers;
  /** Beside an account only the bot can be called, at a number that is none of the account's. */
  readonly asksWhom: boolean;
  readonly onCall: (from: string, to: string) => void;
  /** What stands in a field is no number: it has to be seen. */
  readonly onProblem: () => void;
}

/** Whom to ring, and as whom. */
function CallForm({ id, numbers: { number, numbers, callers }, asksWhom, onCall, onProblem }: CallFormProps) {
  const [to, setTo] = useState(number ?? numbers[0]?.number ?? '');
  const [from, setFrom] = useState(callers[0]?.number ?? '');
  const [isChecked, setChecked] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  return (
    <form
      id={id}
      ref={form}
      class="dial"
      onSubmit={(event) => {
        event.preventDefault();
        const [caller, callee] = [numberIn(from), numberIn(to)];
        setChecked(true);
        if (caller !== undefined && callee !== undefined) return onCall(caller, callee);
        onProblem();
        [...(form.current?.querySelectorAll('input') ?? [])].at(callee === undefined ? 0 : -1)?.focus();
      }}
    >
      {asksWhom && (
        <NumberInput label="Number to ring" value={to} setValue={setTo} known={numbers} isChecked={isChecked} />
      )}
      <NumberInput label="Your number" value={from} setValue={setFrom} known={callers} isChecked={isChecked} />
    </form>
  );
}
