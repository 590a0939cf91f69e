import type { WireItem } from '../wire/wire-item.js';
import { delaysOf } from './delays.js';

/** What the provider says in one step, by one tour or several. */
export interface StepProfile {
  /** How many tours it was seen in. */
  readonly tours: number;
  /** By {@link keyOf}. */
  readonly items: Readonly<Record<string, ItemProfile>>;
  /** Pairs of keys of which the first has come before the second in every tour. */
  readonly order: ReadonlyArray<readonly [first: string, then: string]>;
  /** The longest of each kind, in milliseconds: see {@link delaysOf}. */
  readonly delays: Readonly<Record<string, number>>;
}

export interface ItemProfile {
  /** In how many of the tours it came at all. */
  readonly tours: number;
  /** How often it came in a tour. */
  readonly least: number;
  readonly most: number;
  /** How often of one call, at most; of what belongs to none, in a tour. */
  readonly ofOneCall: number;
  readonly fields: Readonly<Record<string, FieldProfile>>;
}

export interface FieldProfile {
  /** It was there whenever the message came. */
  readonly always: boolean;
  readonly values: readonly string[];
}

/** What is the same in the same place of every tour. */
export const keyOf = ({ channel, direction, name }: Pick<WireItem, 'channel' | 'direction' | 'name'>): string =>
  `${channel} ${direction} ${name}`;

/** Whether an item is what a provider says, or the document that we answer it with: what is compared. */
export const isCompared = ({ channel, direction }: Pick<WireItem, 'channel' | 'direction'>): boolean =>
  direction === 'in' || channel === 'document';

/** @param tours the items of this step, one list for each tour, each in the order in which they came */
export function profileOf(tours: ReadonlyArray<readonly WireItem[]>): StepProfile {
  const compared = tours.map((items) => items.filter(isCompared));
  const keys = [...new Set(compared.flat().map(keyOf))].sort();
  const items = Object.fromEntries(
    keys.map((key) => [key, itemProfile(compared.map((all) => all.filter((one) => keyOf(one) === key)))]),
  );
  return { tours: tours.length, items, order: orderOf(compared), delays: longest(tours.map(delaysOf)) };
}

function itemProfile(tours: ReadonlyArray<readonly WireItem[]>): ItemProfile {
  const counts = tours.map(({ length }) => length);
  const all = tours.flat();
  const seenIn = tours.filter(({ length }) => length > 0);
  const paths = [...new Set(all.flatMap(({ fields }) => Object.keys(fields)))].sort();
  const fieldOf = (path: string): FieldProfile => ({
    always: all.every(({ fields }) => Object.hasOwn(fields, path)),
    values: settled(seenIn.map((items) => new Set(items.flatMap(({ fields }) => fields[path] ?? [])))),
  });
  return {
    tours: seenIn.length,
    least: Math.min(...counts),
    most: Math.max(...counts),
    ofOneCall: Math.max(...tours.flatMap(countsByCall)),
    fields: Object.fromEntries(paths.map((path) => [path, fieldOf(path)])),
  };
}

function countsByCall(items: readonly WireItem[]): readonly number[] {
  const calls = new Set(items.map(({ call }) => call));
  return [...calls].map((one) => items.filter(({ call }) => call === one).length);
}

/** A word that does not come in every tour is not one of the provider's vocabulary in this place: a name that was made up, say. */
function settled(tours: ReadonlyArray<ReadonlySet<string>>): string[] {
  const isMadeUp = (value: string) => value.startsWith('"') && tours.some((values) => !values.has(value));
  const values = tours.flatMap((all) => [...all].map((value) => (isMadeUp(value) ? 'text' : value)));
  return [...new Set(values)].sort();
}

/** Of what comes one after the other on the same channel: what the provider itself puts in an order. */
function orderOf(tours: ReadonlyArray<readonly WireItem[]>): StepProfile['order'] {
  const orders = tours.map((items) => {
    const firsts = new Map<string, { readonly at: number; readonly group: string }>();
    items.forEach((item, at) => {
      if (item.direction !== 'in' || item.channel === 'rest' || (item.stream ?? 1) > 1 || (item.call ?? 1) > 1) return;
      const key = keyOf(item);
      if (!firsts.has(key)) firsts.set(key, { at, group: item.channel });
    });
    return firsts;
  });
  const [first = new Map()] = orders;
  const keys = [...first.keys()];
  const isBefore = (a: string, b: string) =>
    orders.every((order) => {
      const [one, other] = [order.get(a), order.get(b)];
      return one !== undefined && other !== undefined && one.group === other.group && one.at < other.at;
    });
  return keys.flatMap((a) => keys.filter((b) => a !== b && isBefore(a, b)).map((b) => [a, b] as const));
}

function longest(tours: ReadonlyArray<Readonly<Record<string, number>>>): Readonly<Record<string, number>> {
  const names = [...new Set(tours.flatMap((delays) => Object.keys(delays)))].sort();
  return Object.fromEntries(names.map((name) => [name, Math.max(...tours.map((delays) => delays[name] ?? 0))]));
}

/**
 * What the sandbox does in one call and not in another, as providers do, counts in all steps: fields that a message of the stream has at
 * times, and a webhook that voicebot passes over; a webhook that comes twice.
 */
export function withSharedQuirks(steps: Readonly<Record<string, StepProfile>>): Record<string, StepProfile> {
  const shared = (key: string, item: ItemProfile): ItemProfile => {
    const all = Object.values(steps).flatMap(({ items }) => items[key] ?? []);
    const ofOneCall = Math.max(...all.map((one) => one.ofOneCall));
    if (!/^stream |^webhook .* other$/.test(key)) return { ...item, ofOneCall };
    const paths = [...new Set(all.flatMap(({ fields }) => Object.keys(fields)))].sort();
    const fieldOf = (path: string): FieldProfile => ({
      always: all.every(({ fields }) => fields[path]?.always === true),
      values: [...new Set(all.flatMap(({ fields }) => fields[path]?.values ?? []))].sort(),
    });
    return { ...item, ofOneCall, fields: Object.fromEntries(paths.map((path) => [path, fieldOf(path)])) };
  };
  return Object.fromEntries(
    Object.entries(steps).map(([name, step]) => [
      name,
      { ...step, items: Object.fromEntries(Object.entries(step.items).map(([key, item]) => [key, shared(key, item)])) },
    ]),
  );
}
