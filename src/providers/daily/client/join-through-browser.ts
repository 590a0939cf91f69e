import { setTimeout as sleep } from 'node:timers/promises';
import { timeLimit } from '../../../base/async/time-limit.js';
import { IncomingAudio } from '../../../base/audio/line/incoming-audio.js';
import { OutgoingAudio } from '../../../base/audio/line/outgoing-audio.js';
import { LOCAL_DELAY, PcmCodec } from '../../../base/audio/line/pcm-codec.js';
import { VoicebotError } from '../../../base/errors.js';
import type { JsonFields } from '../../../base/http/json-fields.js';
import { fileOfOptionalPackage } from '../../../base/optional-package.js';
import type { RoomMethod, WireError } from '../../rooms/client-messages.js';
import { hearsOnly, JoinedRoom, type RoomCarriage, unawaited } from '../../rooms/joined-room.js';
import { isOfSandbox } from '../../rooms/room-address.js';
import type { JoinOptions, JoinRoom } from '../../rooms/room-connection.js';
import { JoinRefusedError, joinFailed, wordsOf } from '../../rooms/room-refusal.js';
import type { Pages } from './pages.js';
import { pagesOfThisProcess } from './process-pages.js';
import { type ClientModule, PageLostError, RoomPage, type RoomToJoin } from './room-page.js';

/** How many pages may be lost on the way into the room before joining fails. */
const MOST_LOST_PAGES = 3;
/** How long joining again may take after a page was lost, in milliseconds, and one try of it. */
const REJOIN_LIMIT_MS = 12_000;
const REJOIN_TRY_MS = 6_000;
/** Between two tries, in milliseconds. */
const TRY_AGAIN_MS = 200;

/** Refusals that may pass: after any other no page gets in with this token any more. */
const PASSING = ['connection-error', 'meeting-full'];

/** The provider's client as a package, and the file of it that is a module for browsers. */
const PACKAGE = '@daily-co/daily-js';
const MODULE = 'dist/daily-esm.js';

export interface BrowserJoinOptions {
  /** Where pages are opened. Default: the runner's browser, or one of this process. */
  readonly pages?: Pages;
  /** The provider's client. Default: for rooms of the sandbox its own, else the package `@daily-co/daily-js` of the user's project. */
  readonly client?: ClientModule;
}

/**
 * Joins a room with the provider's own client, in a page of a browser. When the page is lost, it joins again with the same token,
 * and the connection goes on.
 * @throws VoicebotError VB_BROWSER_FAILED, VB_ROOMS_UNREACHABLE when the provider's client cannot be loaded, VB_ROOM_JOIN_FAILED
 */
export const joinThroughBrowser: JoinRoom = (options) => joinWithBrowser(options);

/** {@link joinThroughBrowser} with parts of one's own. */
export async function joinWithBrowser(options: JoinOptions, parts: BrowserJoinOptions = {}): Promise<JoinedRoom> {
  const client = parts.client ?? clientOf(options.roomUrl);
  const pages = parts.pages ?? pagesOfThisProcess();
  const presence = new BrowserPresence(options, pages, client);
  await presence.join();
  return presence.room;
}

/** @throws VoicebotError VB_BROWSER_FAILED when the package is missing */
function clientOf(roomUrl: string): ClientModule {
  if (isOfSandbox(roomUrl)) return { url: `${new URL(roomUrl).origin}/client.js` };
  const file = fileOfOptionalPackage(PACKAGE, MODULE);
  if (file) return { file };
  throw new VoicebotError('VB_BROWSER_FAILED', `the room provider's client, ${PACKAGE}, is not installed`, {
    hint: `npm install ${PACKAGE} puppeteer-core`,
  });
}

/** Carries presence in a room by a page of a browser, and by another one when that is lost. */
class BrowserPresence implements RoomCarriage {
  readonly room: JoinedRoom;
  readonly #incoming: IncomingAudio;
  readonly #outgoing: OutgoingAudio;
  /** Leaving ends joining as well. */
  readonly #leaving = new AbortController();
  /** The page that is in the room, or is about to be. */
  #page: Promise<RoomPage> | undefined;
  /** The same, while it is there. */
  #current: RoomPage | undefined;
  #pageCount = 0;
  readonly #roomToJoin: RoomToJoin;
  /** Undefined: everybody. */
  #heard: readonly string[] | undefined;

  constructor(
    private readonly options: JoinOptions,
    private readonly pages: Pages,
    private readonly client: ClientModule,
  ) {
    const { roomUrl, token, userName, sampleRate } = options;
    this.#roomToJoin = { roomUrl, token, userName, sampleRate };
    this.room = new JoinedRoom(this, token);
    this.#incoming = new IncomingAudio(new PcmCodec(sampleRate), sampleRate, LOCAL_DELAY);
    this.#outgoing = new OutgoingAudio(new PcmCodec(sampleRate), sampleRate);
  }

  /** Leaves nothing open when it fails. @throws VoicebotError as {@link joinThroughBrowser} */
  async join(): Promise<void> {
    const { limitMs, signal } = this.options;
    const giveUp = () => this.#leaving.abort();
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      this.#page = this.#enterAtFirst(limitMs);
      await this.#page;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /** While the page is being replaced, it waits for the next one; a request whose answer is not waited for any more is not sent then. */
  async request(request: {
    readonly id: number;
    readonly method: RoomMethod;
    readonly params: JsonFields;
  }): Promise<void> {
    const page = await this.#page;
    if (this.room.isAwaited(request.id)) page?.send({ type: 'request', ...request });
  }

  say(pcm: Int16Array): void {
    const packet = this.#outgoing.say(pcm, performance.now());
    if (packet) this.#current?.say(packet);
  }

  hear(): Int16Array {
    return this.#incoming.hear(performance.now());
  }

  hearOnly(sessionIds: readonly string[] | undefined): void {
    this.#heard = sessionIds;
    if (this.#current) this.#listen(this.#current);
  }

  /** Rooms of the sandbox give one track of all, which they mix for each participant: the page alone cannot take it apart. */
  #listen(page: RoomPage): void {
    const isMixed = isOfSandbox(this.options.roomUrl);
    page.send(isMixed ? hearsOnly(page.sessionId, this.#heard) : { type: 'listen', sessionIds: this.#heard });
  }

  async leave(): Promise<void> {
    this.#leaving.abort();
    const page = await this.#page?.catch(() => undefined);
    this.#current = undefined;
    await page?.close();
  }

  /** A page that is lost on the way is followed by another. */
  async #enterAtFirst(limitMs: number): Promise<RoomPage> {
    const lateAt = performance.now() + limitMs;
    for (let lost = 1; ; lost += 1) {
      try {
        return await this.#enter(Math.ceil(lateAt - performance.now()));
      } catch (error) {
        if (!(error instanceof PageLostError) || lost >= MOST_LOST_PAGES || performance.now() > lateAt) throw error;
      }
    }
  }

  async #enter(limitMs: number): Promise<RoomPage> {
    const signal = AbortSignal.any([this.#leaving.signal, timeLimit(limitMs)]);
    const page = await RoomPage.join(this.pages, this.client, this.#roomToJoin, signal).catch((error: unknown) => {
      throw signal.reason?.name === 'TimeoutError' ? joinFailed(`the room was not joined within ${limitMs} ms`) : error;
    });
    if (this.#leaving.signal.aborted) {
      await page.close();
      throw joinFailed('joining was given up');
    }
    this.#pageCount += 1;
    const ssrc = this.#pageCount;
    this.#current = page;
    if (this.#heard) this.#listen(page);
    this.room.entered(page.sessionId, page.others);
    page.start({
      audio: ({ sequence, timestamp, payload }) =>
        this.#incoming.receive({ ssrc, sequence: sequence & 0xffff, timestamp, payload }, performance.now()),
      event: (event) => this.room.happened(event),
      response: (id, result, error) => this.room.answered(id, result, error),
      left: (error) => this.#left(page, error),
      lost: (detail) => this.#lost(page, detail),
    });
    return page;
  }

  #left(page: RoomPage, error: WireError): void {
    if (error.error === 'connection-error') this.#lost(page, wordsOf(error, this.options.token));
    else this.room.removed(error);
  }

  /** The caller hears nothing until another page is there. */
  #lost(page: RoomPage, detail: string): void {
    if (this.room.isOut) return;
    console.error(`the bot's connection to its room was lost (${detail}): joining again`);
    this.#current = undefined;
    void page.close();
    this.room.broken();
    this.#page = this.#rejoin(page.sessionId);
    this.#page.catch((error: Error) =>
      this.room.lost(`${detail}, and joining again failed: ${error.message}`, { cause: error }),
    );
  }

  async #rejoin(formerId: string): Promise<RoomPage> {
    const lastTryAt = performance.now() + REJOIN_LIMIT_MS;
    for (;;) {
      try {
        const page = await this.#enter(REJOIN_TRY_MS);
        page.send(unawaited('eject', { ids: [formerId] })); // the provider may not know yet that it is gone
        return page;
      } catch (error) {
        const isOver = this.#leaving.signal.aborted || performance.now() > lastTryAt;
        if (isOver || isFinal(error)) throw error;
        await sleep(TRY_AGAIN_MS);
      }
    }
  }
}

const isFinal = (error: unknown) => error instanceof JoinRefusedError && !PASSING.includes(error.type);
