import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../e2e/processes.js';

/** The provider answers an account 20 times a second, whoever asks: the runner has to be able to ask as well. */
const LOOK_EVERY_MS = 250;

/** The account of a provider. */
export interface RoomsAccount {
  readonly apiUrl: string;
  readonly apiKey: string;
}

/** The names of the rooms that the provider has for an account; undefined where it was asked too often. */
export async function openRooms({ apiUrl, apiKey }: RoomsAccount): Promise<string[] | undefined> {
  const response = await fetch(`${apiUrl}/rooms`, { headers: { authorization: `Bearer ${apiKey}` } });
  if (response.status === 429) return undefined;
  const { data } = (await response.json()) as { data: { name: string }[] };
  return data.map(({ name }) => name);
}

/** The names of the rooms in which there are at least so many participants. */
export async function roomsOf(count: number, { apiUrl, apiKey }: RoomsAccount): Promise<string[]> {
  const response = await fetch(`${apiUrl}/presence`, { headers: { authorization: `Bearer ${apiKey}` } });
  if (!response.ok) throw new Error(`who is in the rooms is not told: HTTP ${response.status}`);
  const present = (await response.json()) as Readonly<Record<string, readonly unknown[]>>;
  return Object.entries(present).flatMap(([name, { length }]) => (length >= count ? [name] : []));
}

/** Resolves when it holds for the names of the rooms that the provider has. */
export async function untilRooms(
  account: RoomsAccount,
  holds: (names: readonly string[]) => boolean,
  what: string,
  limitMs?: number,
): Promise<void> {
  const isSo = async () => {
    const names = await openRooms(account);
    if (names && holds(names)) return true;
    await pause(LOOK_EVERY_MS);
    return false;
  };
  await until(isSo, what, limitMs);
}
