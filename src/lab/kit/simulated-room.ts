import { EventEmitter } from 'node:events';
import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import { Resampler } from '../../base/audio/resampler.js';
import type { DialTarget } from '../../call/call-port.js';
import type {
  JoinOptions,
  RoomConnection,
  RoomEvents,
  RoomParticipant,
} from '../../providers/rooms/room-connection.js';
import type { DecideTransfer, TransferStage } from './transfer-stage.js';

export interface SimulatedRoomOptions {
  /** What becomes of a call out of the room. */
  readonly dialout: DecideTransfer;
  readonly stage: TransferStage;
  /** The telephone hears 20 ms of 8000 Hz mono; returns what it says meanwhile. */
  exchange(heard: Int16Array): Int16Array;
  /** The telephone is connected. */
  answered(): void;
  pressed(keys: string): void;
  /** The telephone has gone, or will not come any more. */
  over(): void;
}

type Listener = (data: unknown) => void;

const FRAME_SAMPLES = 160;
const PHONE_RATE = 8_000;
/** The telephone and the destination of a transfer, as the room calls them. */
const PHONE = 'phone';
const DESTINATION = 'destination';

/** The provider's words for what became of a call out of the room. */
const WORDS = { busy: 'busy', no_answer: 'no answer', rejected: 'rejected', failed: 'failed' } as const;

/** A media room with one bot and one telephone, in this process: what a provider does, without one. */
export class SimulatedRoom implements RoomConnection {
  readonly sessionId = 'bot';
  readonly participants = new Map<string, RoomParticipant>();
  readonly #emitter = new EventEmitter();
  readonly #said: Int16Array[] = [];
  #kind: 'dial-in' | 'dial-out' = 'dial-in';
  #heard: ((pcm: Int16Array) => void) | undefined;
  /** Events from before anybody listened. */
  #early: Array<() => void> | undefined = [];
  #toPhone: Resampler | undefined;
  #toBot: Resampler | undefined;
  #clock: NodeJS.Timeout | undefined;
  /** The telephone has left the room for the destination of a transfer. */
  #isElsewhere = false;
  /** The one that runs. */
  #transcription: string | undefined;
  #isOver = false;
  #hasLeft = false;

  constructor(private readonly options: SimulatedRoomOptions) {}

  /** For the bot. */
  readonly join = async ({ sampleRate }: JoinOptions): Promise<RoomConnection> => {
    if (sampleRate !== PHONE_RATE) {
      this.#toPhone = new Resampler(sampleRate, PHONE_RATE);
      this.#toBot = new Resampler(PHONE_RATE, sampleRate);
    }
    this.#tell('dialin_ready', { sipEndpoint: 'room@sip.test' });
    return this;
  };

  /** The held caller is forwarded into the room. */
  admitCaller(sipFrom: string): void {
    this.#tell('dialin_connected', { sessionId: PHONE, sipFrom });
    this.#connectPhone('dial-in');
  }

  press(digit: DtmfDigit): void {
    if (!this.#isElsewhere) this.#tell('dtmf', { digit, sessionId: PHONE });
  }

  /** The telephone is gone. */
  hangUp(): void {
    if (this.#isOver) return;
    this.close();
    this.#tellGone();
    this.options.over();
  }

  /** Stops the clock. */
  close(): void {
    this.#isOver = true;
    clearInterval(this.#clock);
  }

  on<Name extends keyof RoomEvents>(event: Name, listener: (...args: RoomEvents[Name]) => void): void {
    this.#emitter.on(event, listener as Listener);
  }

  off<Name extends keyof RoomEvents>(event: Name, listener: (...args: RoomEvents[Name]) => void): void {
    this.#emitter.off(event, listener as Listener);
  }

  start(heard: (pcm: Int16Array) => void): void {
    this.#heard = heard;
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const deliver of early) deliver();
  }

  say(pcm: Int16Array): void {
    if (!this.#isElsewhere) this.#said.push(this.#toPhone ? this.#toPhone.process(pcm) : pcm);
  }

  async startDialout({ phoneNumber, sipUri }: DialTarget): Promise<{ sessionId: string }> {
    const destination = phoneNumber ?? sipUri;
    const becomes = this.options.dialout(destination);
    setImmediate(() => {
      this.#tell('dialout_connected', { sessionId: PHONE, destination });
      if (becomes !== 'answered') {
        this.#tell('dialout_error', { sessionId: PHONE, errorMsg: WORDS[becomes] });
        this.options.over();
        return;
      }
      this.#tell('dialout_answered', { sessionId: PHONE, destination });
      this.#connectPhone('dial-out');
    });
    return { sessionId: PHONE };
  }

  async stopDialout({ sessionId }: { readonly sessionId: string }): Promise<void> {
    if (sessionId === PHONE) this.hangUp();
  }

  async sendDtmf({ tones }: { readonly tones: string }): Promise<void> {
    this.options.pressed(tones);
  }

  /** In the provider's order: the caller leaves at once, and is hung up where the destination is not reached (rooms reference 8.2). */
  async sipCallTransfer({ toEndPoint: destination }: { readonly toEndPoint: string }): Promise<void> {
    const becomes = this.options.stage.decideOn(destination);
    setImmediate(() => {
      if (this.#isOver) return;
      this.#leave();
      this.#tell('dialout_connected', { sessionId: DESTINATION, destination });
      if (becomes === 'answered') this.#tell('dialout_answered', { sessionId: DESTINATION, destination });
      else {
        this.#tell('dialout_error', { sessionId: DESTINATION, errorMsg: WORDS[becomes] });
        this.close();
        this.options.over();
      }
    });
  }

  async sipRefer(): Promise<void> {
    setImmediate(() => this.#leave());
  }

  async startTranscription({ instanceId }: { readonly instanceId: string }): Promise<void> {
    this.#transcription = instanceId;
    this.#tell('transcription_started', { instanceId, startedBy: this.sessionId });
  }

  async updateTranscription(): Promise<void> {}

  async stopTranscription(): Promise<void> {
    const instanceId = this.#transcription;
    this.#transcription = undefined;
    if (instanceId !== undefined) this.#tell('transcription_stopped', { instanceId });
  }

  /** The words of what the telephone has just said: a transcription that was started understands them. */
  spoke(text: string): void {
    const instanceId = this.#transcription;
    if (instanceId === undefined || this.#isElsewhere) return;
    this.#tell('transcription_message', { instanceId, sessionId: PHONE, text, isFinal: true, endsUtterance: true });
  }

  async eject(sessionIds: readonly string[]): Promise<void> {
    if (sessionIds.includes(PHONE)) this.hangUp();
  }

  async leave(): Promise<void> {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#tell('left', {});
  }

  #connectPhone(kind: 'dial-in' | 'dial-out'): void {
    this.#kind = kind;
    const phone: RoomParticipant = { sessionId: PHONE, userName: PHONE, isOwner: false, kind };
    this.participants.set(PHONE, phone);
    this.options.answered();
    this.#tell('participant_joined', phone);
    this.#clock = setInterval(() => this.#exchange(), 20);
  }

  /** The telephone leaves the room; the destination, where it answers, says nothing. */
  #leave(): void {
    this.#isElsewhere = true;
    this.#said.length = 0;
    this.#tellGone();
  }

  #tellGone(): void {
    const phone = this.participants.get(PHONE);
    this.participants.delete(PHONE);
    if (phone) this.#tell('participant_left', phone);
    this.#tell(this.#kind === 'dial-in' ? 'dialin_stopped' : 'dialout_stopped', { sessionId: PHONE });
  }

  #exchange(): void {
    const said = this.options.exchange(this.#said.shift() ?? new Int16Array(FRAME_SAMPLES));
    if (!this.#isElsewhere) this.#heard?.(this.#toBot ? this.#toBot.process(said) : said);
  }

  #tell<Name extends keyof RoomEvents>(event: Name, ...args: RoomEvents[Name]): void {
    const deliver = () => void this.#emitter.emit(event, ...args);
    if (this.#early) this.#early.push(deliver);
    else deliver();
  }
}
