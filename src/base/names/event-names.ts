import type { EventEmitter } from 'node:events';
import { VoicebotError } from '../errors.js';
import { didYouMean } from './did-you-mean.js';

/** Every event of an emitter: the compiler refuses a list that lacks one, or has one too many. */
export type EventNames<Events> = { readonly [Name in keyof Events]: true };

/** Events that Node's emitters have by themselves; `once` of `node:events` listens to `error` beside the event it waits for. */
const NODES_OWN: readonly unknown[] = ['newListener', 'removeListener', 'error'];

/**
 * Makes the emitter refuse handlers for events that it never emits.
 * @throws VoicebotError VB_CONFIG_INVALID from the emitter's `on`, `once` and the like, later
 */
export function refuseUnknownEvents(emitter: object, names: Readonly<Record<string, true>>): void {
  const known = Object.keys(names);
  (emitter as EventEmitter).on('newListener', (name: string | symbol) => {
    if (NODES_OWN.includes(name) || known.includes(String(name))) return;
    const meant = didYouMean(String(name).replace(/^on_/, ''), known); // as others call their events
    const problem = `${emitter.constructor.name} has no event ${String(name)}: ${meant}`;
    throw new VoicebotError('VB_CONFIG_INVALID', problem);
  });
}
