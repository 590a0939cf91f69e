import { useRef, useState } from 'preact/hooks';
import { Locked } from '../link/runner-link.js';
import { NotDone, postToRunner } from './post-to-runner.js';

/** What has become of the order to have the bot call a number. */
export interface DialOrder {
  /** The runner has not answered yet. */
  readonly isBusy: boolean;
  readonly callId: string | undefined;
  /** For people; empty when there is none. */
  readonly problem: string;
  /** @param to E.164 */
  readonly dial: (to: string) => void;
}

const NOTHING = { isBusy: false, callId: undefined, problem: '' };

/**
 * Has the bot call a number, whatever part of the page the user looks at meanwhile. An order without an answer may have become a call: the same one
 * again goes out under the same key, so that it is one call.
 */
export function useDialOrder(token: string | undefined): DialOrder {
  const [order, setOrder] = useState<Omit<DialOrder, 'dial'>>(NOTHING);
  const unanswered = useRef<{ readonly to: string; readonly key: string } | undefined>(undefined);
  const dial = async (to: string) => {
    if (order.isBusy) return;
    setOrder({ ...NOTHING, isBusy: true });
    const sent = unanswered.current?.to === to ? unanswered.current : { to, key: newKey() };
    unanswered.current = sent;
    try {
      const response = await postToRunner('/start', { phone_number: to }, token, { 'idempotency-key': sent.key });
      const { call_id: callId } = (await response.json()) as { call_id: string };
      unanswered.current = undefined;
      setOrder({ ...NOTHING, callId });
    } catch (error) {
      const isAnswered = error instanceof NotDone || error instanceof Locked;
      if (isAnswered) unanswered.current = undefined;
      const { message } = error as Error;
      setOrder({ ...NOTHING, problem: isAnswered ? message : `${message}. ${UNCERTAIN}` });
    }
  };
  return { ...order, dial: (to) => void dial(to) };
}

const UNCERTAIN = 'Whether the call was placed is not known: the same number again is the same call';

/** Pages without TLS from other machines have no `crypto.randomUUID`. */
const newKey = () => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16)).join('-');
