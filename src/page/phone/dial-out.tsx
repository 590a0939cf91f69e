import { useState } from 'preact/hooks';
import type { PhoneNumbers } from '../../call/phone-messages.js';
import type { RunnerView } from '../link/use-runner.js';
import { StateChip } from '../parts/parts.js';
import { NumberInput, numberIn } from './number-input.js';
import type { DialOrder } from './use-dial-order.js';

export interface DialOutProps {
  readonly runner: RunnerView;
  readonly order: DialOrder;
  /** Null on an account. */
  readonly numbers: PhoneNumbers | null;
}

/** Has the bot call a number: one of the sandbox, or a real one, which may be the user's own. */
export function DialOut({ runner, order, numbers }: DialOutProps) {
  const [to, setTo] = useState('');
  const [isChecked, setChecked] = useState(false);
  const { isBusy, callId, problem } = order;
  const call = runner.calls.find(({ id }) => id === callId);

  return (
    <form
      class="dial out"
      onSubmit={(event) => {
        event.preventDefault();
        const number = numberIn(to);
        setChecked(number === undefined);
        if (number !== undefined) order.dial(number);
      }}
    >
      <NumberInput
        label={numbers ? 'Or have the bot call' : 'Your telephone number'}
        value={to}
        setValue={setTo}
        known={numbers?.callees ?? []}
        isChecked={isChecked}
        placeholder={numbers ? '+12025550101' : '+15551234567'}
      />
      {!numbers && (
        <p class="costs quiet">
          Your telephone rings: this call goes through the carrier, and costs what your account pays.
        </p>
      )}
      <button type="submit" disabled={isBusy}>
        {numbers ? 'Dial' : 'Call me'}
      </button>
      <p class="outcome" role="status">
        {problem !== '' && <span class="wrong">{problem}</span>}
        {call && (
          <>
            <StateChip call={call} /> <a href={`#/calls/${encodeURIComponent(call.id)}`}>the call to {call.to}</a>
          </>
        )}
      </p>
    </form>
  );
}
