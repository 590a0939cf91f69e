import { randomBytes } from 'node:crypto';
import type { Logger } from '../../../base/logger.js';
import { fingerprintOf } from '../../../base/secret.js';
import type {
  Room,
  RoomProvider,
  RoomRequest,
  RoomsCredentials,
  RoomsRestClient,
} from '../../../providers/rooms/room-provider.js';
import type { JournalAccount, JournalOf, ObligationJournal } from '../debts/hangup-journal.js';
import { Hangups } from '../debts/hangups.js';

/** How often rooms of dead runners are looked at, in milliseconds; longer than the provider's presence lags behind (25 s). */
const SWEEP_EVERY_MS = 60_000;

/** How long the other party stays in a room while a bot is replaced, in seconds. */
export const ROOM_IDLE_S = 20;

export interface RoomKeeperOptions {
  provider: Pick<RoomProvider, 'name'>;
  credentials: RoomsCredentials;
  client: Pick<RoomsRestClient, 'createRoom' | 'deleteRoom' | 'isOccupied'>;
  journalOf: JournalOf;
  logger: Logger;
}

/**
 * Opens rooms and sees to it that none stays: each is written down before it is created and closed when its call is
 * over, however long that takes. What a runner that died has left is closed by the next one, or by another of its cluster: at once
 * where the call was over, otherwise when the room was empty twice, a sweep apart.
 */
export class RoomKeeper {
  /** That what is left belongs to. */
  readonly account: JournalAccount;
  readonly #journal: ObligationJournal;
  readonly #closing: Hangups<string>;
  /** Rooms of live calls, and those that are being closed. */
  readonly #ours = new Set<string>();
  /** Rooms of dead runners that were empty at the last look. */
  readonly #empty = new Set<string>();
  readonly #stopped = new AbortController();
  #sweep: NodeJS.Timeout | undefined;

  constructor(private readonly options: RoomKeeperOptions) {
    const { provider, credentials, client, journalOf, logger } = options;
    const authId = fingerprintOf(credentials.apiKey);
    this.account = { carrier: provider.name, authId, apiUrl: credentials.apiUrl };
    this.#journal = journalOf(this.account, 'rooms');
    const hangUp = async (name: string, signal: AbortSignal) => {
      await client.deleteRoom(name, signal);
      this.#ours.delete(name);
      this.#write(() => this.#journal.remove(name), name);
    };
    const journal = journalOf(this.account, 'room-ends');
    this.#closing = new Hangups<string>({ client: { hangUp }, journal, what: 'rooms', logger });
  }

  /** @throws VoicebotError as `createRoom` does; nothing is left then */
  async open(request: Omit<RoomRequest, 'name'>, signal?: AbortSignal): Promise<Room> {
    const name = `voicebot-${randomBytes(8).toString('hex')}`;
    this.#ours.add(name);
    this.#write(() => this.#journal.add(name), name);
    try {
      return await this.options.client.createRoom({ ...request, name }, signal);
    } catch (error) {
      this.close(name); // it may have been created all the same
      throw error;
    }
  }

  /** Ends the room for everybody in it. */
  close(name: string): void {
    this.#ours.add(name);
    this.#closing.ensureEnded(name);
  }

  /** Leaves the room to its expiry, since the provider is still moving the caller out of it, or to the runner that has adopted it. */
  leave(name: string): void {
    this.#ours.delete(name);
    this.#write(() => this.#journal.release(name), name);
  }

  /** The call of the room is this runner's now, wherever it was before: the room is not closed before that call is over. */
  adopt(name: string): void {
    this.#ours.add(name);
    this.#empty.delete(name);
    this.#write(() => this.#journal.add(name), name);
  }

  /** Whether the room is that of a live call of this runner, or is being closed by it. */
  isOurs(name: string): boolean {
    return this.#ours.has(name) || this.#closing.isEnding(name);
  }

  /** Closes what runners that are gone have left: at once where the call was over, otherwise when the bots in it have ended it. */
  recover(): void {
    this.#closing.replay();
    this.#journal.follow(() => {}); // what is taken over is among the orphans when it is old enough to be looked at
    this.#sweepNow();
  }

  async stop(atOnce: AbortSignal): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#sweep);
    await this.#closing.close(atOnce);
    await this.#journal.close();
  }

  #sweepNow(): void {
    void this.#closeOrphans().then(() => {
      if (!this.#stopped.signal.aborted) this.#sweep = setTimeout(() => this.#sweepNow(), SWEEP_EVERY_MS).unref();
    });
  }

  async #closeOrphans(): Promise<void> {
    for (const name of await this.#journal.claim(this.#orphans())) {
      if (this.isOurs(name)) continue; // adopted meanwhile
      try {
        const wasEmpty = this.#empty.delete(name);
        if (await this.options.client.isOccupied(name, this.#stopped.signal)) continue;
        if (this.#stopped.signal.aborted) return;
        if (this.isOurs(name)) continue;
        if (!wasEmpty) {
          this.#empty.add(name);
          continue;
        }
        this.options.logger.warn('closing a room that an earlier runner left open', { room: name });
        this.close(name);
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        this.options.logger.warn('a room of an earlier runner could not be looked at', { room: name, error });
      }
    }
  }

  /** A full disk must not keep a caller from being served: the room has an end of its own. */
  #write(change: () => void, room: string): void {
    try {
      change();
    } catch (error) {
      this.options.logger.error('the journal of rooms could not be written', { room, error });
    }
  }

  /** A journal that cannot be read must not keep the runner from serving calls. */
  #orphans(): string[] {
    try {
      return this.#journal.orphans().filter((name) => !this.isOurs(name));
    } catch (error) {
      this.options.logger.error('the journal of rooms could not be read', { error });
      return [];
    }
  }
}
