import './phone.css';
import { useEffect, useState } from 'preact/hooks';
import type { PhoneNumbers } from '../../call/phone-messages.js';
import type { RunnerStatus } from '../../call/runner-status.js';
import { askJson } from '../link/runner-link.js';
import type { RunnerView } from '../link/use-runner.js';
import { DialForm } from './dial-form.js';
import { DialOut } from './dial-out.js';
import { LiveCall } from './live-call.js';
import { PhoneNews } from './phone-news.js';
import { usePhone } from './use-phone.js';

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
          <PhoneNews view={view} />
          <DialForm numbers={numbers} onCall={(from, to) => void phone.call(from, to)} />
        </>
      )}
      {view.state !== 'idle' && <LiveCall phone={phone} view={view} token={token} standIns={standIns} />}
      {view.state === 'idle' && <DialOut runner={runner} token={token} numbers={numbers} />}
    </section>
  );
}

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
