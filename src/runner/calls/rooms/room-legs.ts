import { pause } from '../../../base/async/pause.js';
import type { Logger } from '../../../base/logger.js';
import type { RoomsRestClient } from '../../../providers/rooms/room-provider.js';
import type { ObligationJournal } from '../debts/hangup-journal.js';
import { Hangups } from '../debts/hangups.js';
import type { RoomFacts } from '../life/phase.js';
import { type RoomOfCall, userIdsOf } from './room-of-call.js';

/** How often a telephone is looked for that may have been dialled, and for how long, in milliseconds: no telephone rings longer. */
const LOOK_EVERY_MS = 5_000;
const LOOK_FOR_MS = 120_000;

export interface RoomLegsOptions {
  readonly client: Pick<RoomsRestClient, 'eject' | 'stopDialout'>;
  readonly journal: ObligationJournal;
  readonly logger: Logger;
}

/**
 * Telephones that were dialled out of rooms which stay open. One that the provider has named is hung up for certain, whatever becomes of its bot
 * or of this runner; one that it has not named is only looked for by this runner, for two minutes and for as long as it is there.
 */
export class RoomLegs {
  readonly #hangups: Hangups<string>;
  readonly #stopped = new AbortController();

  constructor(private readonly options: RoomLegsOptions) {
    const { client, journal, logger } = options;
    const hangUp = (id: string, signal: AbortSignal) => {
      const { room, sessionId } = legOf(id);
      return client.stopDialout(room, sessionId, signal);
    };
    this.#hangups = new Hangups<string>({ client: { hangUp }, journal, what: 'telephones in rooms', logger });
  }

  /**
   * Hangs up that of a call beside another one, whether it rings or is answered. One whose bot was gone before the provider had named the leg
   * is hung up when it answers, if this runner is still there then: only then it is in the room. It is not written down: once the runner has
   * stopped no other one looks for it, and who answers stays in the room until that is closed with the other call.
   */
  end(call: RoomOfCall, { dialout, isDialling }: Pick<RoomFacts, 'dialout' | 'isDialling'>): void {
    const { leg } = userIdsOf(call);
    if (!call.room) return;
    if (dialout) this.#hangUp(call.room.name, dialout.sessionId);
    else if (isDialling && leg !== undefined) void this.#lookFor(call.room.name, leg);
  }

  /** Takes up what runners that are gone have left. */
  recover(): void {
    this.#hangups.replay();
  }

  async stop(atOnce: AbortSignal): Promise<void> {
    this.#stopped.abort();
    await this.#hangups.close(atOnce);
  }

  #hangUp(room: string, sessionId: string): void {
    this.#hangups.ensureEnded(idOf(room, sessionId));
  }

  /** @param userId what the telephone is called in the room */
  async #lookFor(room: string, userId: string): Promise<void> {
    const { signal } = this.#stopped;
    const lateAt = performance.now() + LOOK_FOR_MS;
    while (!signal.aborted && performance.now() < lateAt) {
      if (await this.#isFound(room, userId)) return;
      await pause(LOOK_EVERY_MS, signal).catch(() => {});
    }
  }

  /** @returns whether there is no more to look for: it is being hung up, or the room is gone */
  async #isFound(room: string, userId: string): Promise<boolean> {
    const { client, logger } = this.options;
    const { signal } = this.#stopped;
    try {
      const ejected = await client.eject(room, userId, signal);
      for (const sessionId of ejected ?? []) this.#hangUp(room, sessionId);
      return ejected?.length !== 0;
    } catch (error) {
      if (!signal.aborted) logger.warn('a telephone that a room may have dialled could not be looked for', { error });
      return false;
    }
  }
}

/** The name of a file as well: that of a room has no dot. */
const idOf = (room: string, sessionId: string): string => `${room}.${encodeURIComponent(sessionId)}`;

function legOf(id: string): { readonly room: string; readonly sessionId: string } {
  const at = id.indexOf('.');
  return { room: id.slice(0, at), sessionId: decodeURIComponent(id.slice(at + 1)) };
}
