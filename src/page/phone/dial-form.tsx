import { useRef, useState } from 'preact/hooks';
import type { PhoneNumbers } from '../../call/phone-messages.js';
import { NumberInput, numberIn } from './number-input.js';

export interface DialFormProps {
  readonly numbers: PhoneNumbers;
  readonly onCall: (from: string, to: string) => void;
}

/** Whom to ring, and as whom. */
export function DialForm({ numbers: { number, numbers, callers }, onCall }: DialFormProps) {
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
