import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import type { PhoneCallEnd, PhoneNotice, PhoneProgress } from '../../call/phone-messages.js';
import { PhoneLink } from './phone-link.js';
import { type MicrophoneState, PhoneSound } from './phone-sound.js';

/** One line of what the network does with the call, with when it was told, in milliseconds since the call was dialled. */
export interface PhoneHop extends PhoneProgress {
  readonly atMs: number;
}

/** What there is to see of the phone. */
export interface PhoneView {
  readonly state: 'idle' | 'opening' | 'dialling' | 'ringing' | 'answered';
  /** Undefined while there is no call. */
  readonly microphone: MicrophoneState | undefined;
  readonly isMuted: boolean;
  /** The runner's identifier of the call, from its ringing on, also after its end. */
  readonly callId: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly answeredAt: number | undefined;
  readonly pressed: string;
  readonly hops: readonly PhoneHop[];
  /** How the latest call ended. */
  readonly end: PhoneCallEnd | undefined;
  /** Why there could be no call, or no sentence. */
  readonly problem: string | undefined;
}

const NOTHING: PhoneView = {
  state: 'idle',
  microphone: undefined,
  isMuted: false,
  callId: undefined,
  answeredAt: undefined,
  pressed: '',
  hops: [],
  end: undefined,
  problem: undefined,
};

/** How long the network may take to tell the end of a call that was hung up here, in milliseconds. */
const END_MS = 2_000;

/** The phone itself: places one call at a time, and lives through it. Tells by `change` that its view is another. */
export class Handset extends EventTarget {
  /** The runner's, when it wants one. */
  token: string | undefined;
  #view = NOTHING;
  #sound: PhoneSound | undefined;
  #link: PhoneLink | undefined;
  #dialledAt = 0;
  #dialled: readonly [from: string, to: string] | undefined;
  #skip = () => {};
  /** Runs from the hang-up until the network tells the end. */
  #hangingUp: ReturnType<typeof setTimeout> | undefined;

  get view(): PhoneView {
    return this.#view;
  }

  /** How loud what the phone says is at the moment, in dBFS. */
  get levelDb(): number {
    return this.#sound?.mouthpiece.levelDb ?? -Infinity;
  }

  /** The same of the caller's own voice: silent while a typed sentence is said. */
  get voiceDb(): number {
    return this.#sound && !this.#sound.mouthpiece.isReading ? this.levelDb : -Infinity;
  }

  /** What the microphone hears. */
  get track(): MediaStreamTrack | undefined {
    return this.#sound?.track;
  }

  /**
   * Calls a number, as soon as the person has said whether there is a microphone. To be called when they have just clicked.
   * @param from E.164 @param to E.164
   */
  async call(from: string, to: string): Promise<void> {
    if (this.#view.state !== 'idle') return;
    this.#dialled = [from, to];
    this.#show({ ...NOTHING, state: 'opening', microphone: 'asking' });
    const skipped = new Promise<void>((resolve) => {
      this.#skip = resolve;
    });
    const sound = new PhoneSound();
    this.#sound = sound;
    const tell = (microphone: MicrophoneState) => {
      if (this.#sound === sound) this.#show({ microphone });
    };
    try {
      await sound.open();
      await Promise.race([sound.listen(tell).then(tell), skipped]);
      if (this.#sound === sound) this.#dial(sound, from, to);
    } catch (error) {
      if (this.#sound === sound) this.#stop({ problem: `this browser opens no sound: ${(error as Error).message}` });
    }
  }

  /** Calls whom it has called last, as it did then. */
  async callAgain(): Promise<void> {
    if (this.#dialled) await this.call(...this.#dialled);
  }

  /** Forgets the call that is over. */
  putAway(): void {
    if (this.#view.state === 'idle') this.#show(NOTHING);
  }

  /** Goes on although the person has not said yet whether there is a microphone. */
  callWithout(): void {
    this.#skip();
  }

  press(digit: DtmfDigit): void {
    if (this.#view.state !== 'answered') return;
    this.#link?.send({ type: 'press', digit });
    this.#show({ pressed: this.#view.pressed + digit });
  }

  mute(isMuted: boolean): void {
    if (this.#sound) this.#sound.mouthpiece.isMuted = isMuted;
    this.#show({ isMuted });
  }

  /** Says a sentence. @param pcm 8000 Hz @param onSaid it has been said to its end, in a call that goes on */
  read(pcm: Int16Array, onSaid: () => void): void {
    this.#sound?.mouthpiece.read(pcm, onSaid);
  }

  /** Tells the network the words of what was just said, for whatever plays ears there. */
  spoke(text: string): void {
    if (this.#view.state === 'answered') this.#link?.send({ type: 'words', text });
  }

  hangUp(): void {
    const { state } = this.#view;
    if (state === 'idle' || this.#hangingUp !== undefined) return;
    // Of a call that has begun the network tells the end, unless it has fallen silent: a microphone must not stay open for that.
    if (state === 'ringing' || state === 'answered') {
      this.#link?.send({ type: 'hangup' });
      const late = { problem: 'the runner has not confirmed that the call is over' };
      this.#hangingUp = setTimeout(() => this.#stop(late), END_MS);
    } else this.#stop({});
  }

  #dial(sound: PhoneSound, from: string, to: string): void {
    this.#dialledAt = performance.now();
    this.#link = new PhoneLink({
      token: this.token,
      exchange: (heard) => {
        sound.hear(heard);
        return sound.mouthpiece.say(performance.now());
      },
      noticed: (notice) => this.#noticed(notice),
      closed: (reason) => this.#lost(reason),
    });
    this.#link.send({ type: 'dial', from, to });
    this.#show({ state: 'dialling' });
  }

  #noticed(notice: PhoneNotice): void {
    if (notice.type === 'ringing') this.#show({ state: 'ringing', callId: notice.callId });
    else if (notice.type === 'answered') this.#show({ state: 'answered', answeredAt: Date.now() });
    else if (notice.type === 'progress') this.#progress(notice.line);
    else if (notice.type === 'ended') this.#stop({ end: notice.end });
  }

  #progress(line: PhoneProgress): void {
    this.#show({ hops: [...this.#view.hops, { ...line, atMs: performance.now() - this.#dialledAt }] });
  }

  #lost(reason: string): void {
    const hasBegun = this.#view.state !== 'dialling';
    this.#stop({
      problem: reason || (hasBegun ? 'the connection to the runner was lost' : 'the runner let no phone in'),
    });
  }

  #stop(why: Partial<PhoneView>): void {
    clearTimeout(this.#hangingUp);
    this.#hangingUp = undefined;
    this.#link?.close();
    void this.#sound?.close();
    this.#link = undefined;
    this.#sound = undefined;
    this.#show({ ...why, state: 'idle', microphone: undefined, isMuted: false });
  }

  #show(change: Partial<PhoneView>): void {
    this.#view = { ...this.#view, ...change };
    this.dispatchEvent(new Event('change'));
  }
}
