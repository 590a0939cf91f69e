import type { DailyEvent, DailyEventObject } from '@daily-co/daily-js';
import type { WireEvent } from '../../../providers/rooms/client-messages.js';

/** The fields of an event, beside its name and the id of the call object. */
export type EventPayload<Name extends DailyEvent> = Omit<DailyEventObject<Name>, 'action' | 'callClientId'>;

type PageListener = (event: never) => void;

/** The listeners of a call object's events. A listener that throws does not affect the others. */
export class PageCallEvents {
  readonly #listeners = new Map<string, readonly { readonly listener: PageListener; readonly isOnce: boolean }[]>();

  add(name: string, listener: PageListener, { isOnce }: { readonly isOnce: boolean }): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), { listener, isOnce }]);
  }

  remove(name: string, listener: PageListener): void {
    const all = this.#listeners.get(name) ?? [];
    const index = all.findIndex((each) => each.listener === listener);
    if (index >= 0) this.#listeners.set(name, all.toSpliced(index, 1));
  }

  emit(event: WireEvent): void {
    for (const { listener, isOnce } of this.#listeners.get(event.action) ?? []) {
      if (isOnce) this.remove(event.action, listener);
      try {
        listener(event as never);
      } catch (error) {
        console.error(`a listener to ${event.action} failed`, error);
      }
    }
  }
}
