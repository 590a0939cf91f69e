import type { Facts, Played, Rig } from './rig.js';

/** What a caller, or a number that is called, lives through: the same at every carrier, but for what `differences.ts` names. */
export interface Story {
  readonly title: string;
  /** Resolves when it is over. */
  play(rig: Rig): Promise<Played>;
  /** The record of its call, without what differs from call to call. Missing where no call comes of it. */
  readonly record?: Facts;
  /** What else is seen. Default: nothing. */
  readonly facts?: Facts;
}

/** The number that callers dial, and that the bot calls from. */
export const BOT = '+12025550100';

const states = (...names: string[]): string => names.join(' ');

/** The record of somebody who has called and talked to the bot. */
export const CALLED = {
  direction: 'inbound',
  to: BOT,
  attempt: 1,
  id: "the carrier's",
  state: 'ended',
  states: states('ringing', 'starting', 'connected', 'ended'),
  times: 'started answered connected ended',
};

/** The record of somebody whom the bot has called, and who has answered. */
export const DIALLED = {
  direction: 'outbound',
  from: BOT,
  attempt: 1,
  id: 'ours',
  state: 'ended',
  states: states('dialling', 'starting', 'connected', 'ended'),
  times: 'started answered connected ended',
};

/** And who has not. */
export const NOT_ANSWERED = { ...DIALLED, states: states('dialling', 'ended'), times: 'started ended' };

/** A caller whom the bot has greeted. */
export async function greeted(rig: Rig, from: string) {
  const line = await rig.call(from);
  const { id } = await rig.serves(from);
  const { wasHeard } = await rig.hears(id, 'greeted');
  return { line, id, wasHeard };
}

/** Has the bot call a number. @returns the runner's identifier of the call */
export function dialled(rig: Rig, to: string, body: object = {}, query: Record<string, string> = {}): Promise<string> {
  return rig.startedCall({ phone_number: to, body }, { query: `?${new URLSearchParams(query)}` });
}
