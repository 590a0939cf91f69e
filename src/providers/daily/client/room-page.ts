import type { RawData, WebSocket } from 'ws';
import { settlesWithin } from '../../../base/async/deadline.js';
import { deferred } from '../../../base/async/deferred.js';
import { VoicebotError } from '../../../base/errors.js';
import {
  isWireParticipant,
  type WireError,
  type WireEvent,
  type WireParticipant,
} from '../../rooms/client-messages.js';
import { isOfSandbox } from '../../rooms/room-address.js';
import type { JoinOptions } from '../../rooms/room-connection.js';
import { joinFailed, joinRefused, wordsOf } from '../../rooms/room-refusal.js';
import { type AudioMessage, readAudioMessage, writeAudioMessage } from './audio-message.js';
import { PageDoor } from './page-door.js';
import type { OpenPage, Pages } from './pages.js';
import { type FromPage, MAX_UNREAD_BYTES, type ToPage } from './wire.js';

/** How long leaving may take, in milliseconds. */
const LEAVE_LIMIT_MS = 1_000;

/** A page tells what it hears fifty times a second. How often that is looked at, in milliseconds. */
const LOOK_EVERY_MS = 250;
/** One that was silent at so many looks in a row does not answer any more. */
const SILENT_LOOKS = 6;

const INTERNET_HINT =
  "check this machine's way to the internet: the client loads its engine from the provider when it joins";
const SANDBOX_HINT = "check that the room's address is one of a running sandbox, which serves the client of its rooms";

/** The provider's client: a file that the page is given, or an address that it loads it from. */
export type ClientModule = { readonly file: string } | { readonly url: string };

export interface RoomPageListener {
  audio(message: AudioMessage): void;
  event(event: WireEvent): void;
  response(id: number, result: unknown, error: WireError | undefined): void;
  /** The provider says that we are in the room no more. Called at most once, and nothing after it. */
  left(error: WireError): void;
  /** The page is gone, or does not answer; the room may be joined again. Called at most once, and nothing after it. */
  lost(detail: string): void;
}

/** What a page is told of the room that it joins. */
export type RoomToJoin = Pick<JoinOptions, 'roomUrl' | 'token' | 'userName' | 'sampleRate'>;

/** The page was lost before it was in the room. */
export class PageLostError extends VoicebotError {
  constructor(detail: string) {
    super('VB_BROWSER_FAILED', `${detail} before it was in the room`);
  }
}

/** One page of a browser that is in a room for a bot. */
export class RoomPage {
  readonly #joined = deferred();
  readonly #over = deferred();
  #page: OpenPage | undefined;
  #socket: WebSocket | undefined;
  #listener: RoomPageListener | undefined;
  /** What has come before anybody listened. */
  readonly #early: ((listener: RoomPageListener) => void)[] = [];
  #sessionId = '';
  #others: readonly WireParticipant[] = [];
  #isClosed = false;
  #watch: NodeJS.Timeout | undefined;
  /** Looks since the last message from the page. */
  #silentLooks = 0;

  /**
   * Opens a page that joins the room; nothing is left open when it fails.
   * @throws VoicebotError VB_BROWSER_FAILED, VB_ROOMS_UNREACHABLE, VB_ROOM_JOIN_FAILED
   */
  static async join(pages: Pages, client: ClientModule, room: RoomToJoin, signal: AbortSignal): Promise<RoomPage> {
    const door = await PageDoor.open('file' in client ? client.file : undefined);
    const page = new RoomPage(door, room);
    const giveUp = () => page.#joined.reject(joinFailed('joining was given up'));
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    try {
      page.#enter(pages, 'file' in client ? door.clientUrl : client.url).catch((error) => page.#joined.reject(error));
      await page.#joined.promise;
      return page;
    } catch (error) {
      await page.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  private constructor(
    private readonly door: PageDoor,
    private readonly room: RoomToJoin,
  ) {}

  /** Ours in this room. */
  get sessionId(): string {
    return this.#sessionId;
  }

  /** Who else was in the room when we came. */
  get others(): readonly WireParticipant[] {
    return this.#others;
  }

  get #isTalking(): boolean {
    return this.#socket !== undefined && this.#socket.readyState === this.#socket.OPEN;
  }

  /** Begins to tell; what has happened since the page is in the room comes first. */
  start(listener: RoomPageListener): void {
    this.#listener = listener;
    this.#watch = setInterval(() => this.#look(), LOOK_EVERY_MS);
    for (const tell of this.#early.splice(0)) this.#tell(tell);
  }

  send(message: Exclude<ToPage, { type: 'join' | 'leave' }>): void {
    this.#send(message);
  }

  say(audio: AudioMessage): void {
    if (this.#isTalking && (this.#socket?.bufferedAmount ?? 0) < MAX_UNREAD_BYTES) {
      this.#socket?.send(writeAudioMessage(audio));
    }
  }

  /** Leaves the room as politely as a page that is still there can. Safe to call twice. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#watch);
    this.#listener = undefined;
    if (this.#isTalking) {
      this.#send({ type: 'leave' });
      await settlesWithin(this.#over.promise, LEAVE_LIMIT_MS);
    }
    this.#page?.close();
    this.door.close();
  }

  async #enter(pages: Pages, module: string): Promise<void> {
    const page = await pages.open(this.door.url);
    if (this.#isClosed) return page.close();
    this.#page = page;
    void page.gone.then(() => this.#lost('its page is gone'));
    const socket = await this.door.entered;
    this.#socket = socket;
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('error', () => {}); // followed by close
    socket.once('close', () => this.#lost('its page has hung up'));
    this.#send({ type: 'join', module, ...this.room });
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#silentLooks = 0;
    if (isBinary) {
      const audio = readAudioMessage(data as Buffer, this.room.sampleRate);
      if (audio) this.#listener?.audio(audio);
    } else this.#take(JSON.parse(String(data)) as FromPage); // our own page has written it
  }

  #take(message: FromPage): void {
    switch (message.type) {
      case 'joined':
        this.#sessionId = message.sessionId;
        this.#others = message.participants.filter(isWireParticipant);
        this.#joined.resolve();
        break;
      case 'failed':
        this.#joined.reject(this.#failureOf(message));
        break;
      case 'event':
        this.#tell((listener) => listener.event(message.event));
        break;
      case 'response':
        this.#tell((listener) => listener.response(message.id, message.result, message.error));
        break;
      case 'left':
        this.#tellLast((listener) => listener.left(message.error ?? { error: '', info: 'left the room' }));
        break;
    }
  }

  #failureOf({ what, error }: Extract<FromPage, { type: 'failed' }>): VoicebotError {
    const { token, roomUrl } = this.room;
    if (what === 'room') return joinRefused(error, token);
    const words = wordsOf(error, token);
    if (what === 'audio') return new VoicebotError('VB_BROWSER_FAILED', `its page has no sound: ${words}`);
    return new VoicebotError('VB_ROOMS_UNREACHABLE', `the provider's client could not be loaded: ${words}`, {
      hint: isOfSandbox(roomUrl) && error.info.includes(new URL(roomUrl).origin) ? SANDBOX_HINT : INTERNET_HINT,
    });
  }

  /** A time in which this process stood still counts as one look. */
  #look(): void {
    this.#silentLooks += 1;
    if (this.#silentLooks < SILENT_LOOKS) return;
    this.#lost(`its page has not answered for ${SILENT_LOOKS * LOOK_EVERY_MS} ms`);
  }

  #lost(detail: string): void {
    this.#joined.reject(new PageLostError(detail));
    this.#tellLast((listener) => listener.lost(detail));
  }

  #tell(tell: (listener: RoomPageListener) => void): void {
    if (this.#listener) tell(this.#listener);
    else if (!this.#watch) this.#early.push(tell);
  }

  #tellLast(tell: (listener: RoomPageListener) => void): void {
    this.#over.resolve();
    this.#tell((listener) => {
      this.#listener = undefined;
      tell(listener);
    });
  }

  #send(message: ToPage): void {
    if (this.#isTalking) this.#socket?.send(JSON.stringify(message));
  }
}
