import { useState } from 'preact/hooks';
import type { PhoneNumbers } from '../../call/phone-messages.js';
import type { RunnerView } from '../link/use-runner.js';
import { StateChip } from '../parts/parts.js';
import { NumberInput, numberIn } from './number-input.js';
import { postToRunner } from './post-to-runner.js';

export interface DialOutProps {
  readonly runner: RunnerView;
  readonly token: string | undefined;
  /** Null on an account. */
  readonly numbers: PhoneNumbers | null;
}

/** Has the bot call a number: one of the sandbox, or a real one, which may be the user's own. */
export function DialOut({ runner, token, numbers }: DialOutProps) {
  const [to, setTo] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [callId, setCallId] = useState<string>();
  const [problem, setProblem] = useState('');
  const call = runner.calls.find(({ id }) => id === callId);

  const dial = async (phoneNumber: string) => {
    setBusy(true);
    setProblem('');
    setCallId(undefined);
    try {
      const response = await postToRunner('/start', { phone_number: phoneNumber }, token);
      setCallId(((await response.json()) as { call_id: string }).call_id);
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
  };

  return (
    <form
      class="dial out"
      onSubmit={(event) => {
        event.preventDefault();
        const number = numberIn(to);
        setChecked(number === undefined);
        if (number !== undefined) void dial(number);
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
