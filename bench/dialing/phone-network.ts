/** The sandbox as a carrier that does what it is asked and then fails to say so, one time in five. */
import type { CarrierCredentials } from '../../src/providers/carrier.js';
import { plivoAccount } from '../processes/account.js';
import { dist } from '../processes/dist.js';
import { answer } from '../processes/questions.js';

const { startSandbox } = await dist<typeof import('../../src/sandbox/sandbox.js')>('sandbox/sandbox.js');

/** Four times as fast as life. */
const TICK_MS = 5;

const { authId, authToken } = plivoAccount;
const starting = startSandbox({
  authId,
  authToken,
  phoneToken: 'no phone is attached',
  faults: { failAfterAccepting: 0.2 },
  timing: { tickMs: TICK_MS },
});

export interface Account {
  credentials: CarrierCredentials;
  phoneNumber: string;
}

const questions = {
  async account(): Promise<Account> {
    const { apiUrl, number } = await starting;
    return { credentials: { authId, authToken, apiUrl }, phoneNumber: number };
  },
  /** How often each number has been dialled. */
  async placedCalls(): Promise<Record<string, number>> {
    return Object.fromEntries((await starting).placedCalls);
  },
  async liveCalls(): Promise<number> {
    return (await starting).liveCalls;
  },
};
export type PhoneNetwork = typeof questions;

answer(questions, async () => (await starting).close());
