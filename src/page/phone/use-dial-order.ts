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
 * Has the bot call a number, whatever part of the page the user looks at meanwhile. An order may have become a call although nothing tells so: the
 * page sends the same order again under the same key, and the runner places one call.
 */
export function useDialOrder(token: string | undefined): DialOrder {
  const [order, setOrder] = useState<Omit<DialOrder, 'dial'>>(NOTHING);
  /** Of orders that have not become a call as far as the page knows, by their numbers. */
  const keys = useRef(new Map<string, string>());
  const dial = async (to: string) => {
    if (order.isBusy) return;
    setOrder({ ...NOTHING, isBusy: true });
    const key = keys.current.get(to) ?? newKey();
    keys.current.set(to, key);
    try {
      const response = await postToRunner('/start', { phone_number: to }, token, { 'idempotency-key': key });
      const { call_id: callId } = (await response.json()) as { call_id: string };
      keys.current.delete(to);
      setOrder({ ...NOTHING, callId });
    } catch (error) {
      // What it has refused, the runner places when it is asked again under the same key.
      const isRefused = error instanceof Locked || (error instanceof NotDone && !UNCERTAIN_CODES.has(error.code));
      const { message } = error as Error;
      setOrder({ ...NOTHING, problem: isRefused ? message : `${message}. ${UNCERTAIN}` });
    }
  };
  return { ...order, dial: (to) => void dial(to) };
}

const UNCERTAIN_CODES = new Set(['VB_CALL_UNCERTAIN', 'VB_CLUSTER_UNREACHABLE']);
const UNCERTAIN =
  'The runner may have placed the call. The same number again asks for the same call; load the page anew to place another one';

/** Pages without TLS from other machines have no `crypto.randomUUID`. */
const newKey = () => [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16)).join('-');
