import { type Deferred, deferred } from '../async/deferred.js';
import { encodeMulaw } from '../audio/mulaw.js';
import { Resampler } from '../audio/resampler.js';
import { VoicebotError } from '../errors.js';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  CancelFrame,
  ControlFrame,
  EndFrame,
  type Frame,
  type FrameDirection,
  InterruptionFrame,
  OutputAudioFrame,
  OutputDtmfFrame,
  type SystemFrame,
} from '../frames/index.js';
import { FrameProcessor } from '../pipeline/index.js';
import { WIRE_SAMPLE_RATE } from './carrier-frame-serializer.js';
import type { CurrentStream } from './current-stream.js';
import { Playout } from './playout.js';
import type { WebSocketTransportParams } from './websocket-transport-params.js';

/** Bot audio held here before the pipeline is asked to wait, in milliseconds. */
const MAX_QUEUED_MS = 10_000;
/** Bytes the peer may leave unread before releasing pauses: about a second of audio. */
const MAX_UNSENT_BYTES = 16 * 1_024;

/** What the output asks of the call it plays to. */
export interface OutputCall {
  hangUp(): Promise<void>;
  /** The pipeline is over, or will be without a hang-up. */
  released(): void;
}

/** Stands in the queue behind what the bot has said so far. */
class SpeechMark extends ControlFrame {
  readonly reached: Deferred<void> = deferred();
}

/** Plays the pipeline's audio to the caller in real time and says when the bot is heard. */
export class WebSocketOutput extends FrameProcessor {
  readonly #playout: Playout;
  readonly #resamplers = new Map<number, Resampler>();
  #mark: SpeechMark | undefined;
  #isOver = false;

  constructor(
    private readonly stream: CurrentStream,
    private readonly params: WebSocketTransportParams,
    private readonly call: OutputCall,
  ) {
    super();
    this.#playout = new Playout(
      WIRE_SAMPLE_RATE,
      {
        sendAudio: (pcm) => stream.send(params.serializer.encodeAudio(encodeMulaw(pcm))),
        sendMark: (name) => stream.send(params.serializer.encodeMark(name)),
        sendClear: () => stream.send(params.serializer.encodeClear()),
        isCongested: () => stream.unsentBytes > MAX_UNSENT_BYTES,
      },
      {
        started: () => this.#announce(() => new BotStartedSpeakingFrame()),
        stopped: (heardMs, wasInterrupted) =>
          this.#announce(() => new BotStoppedSpeakingFrame(heardMs, wasInterrupted)),
      },
    );
  }

  /** How much of the current utterance the caller has heard, in milliseconds; 0 while the bot is silent. */
  get heardMs(): number {
    return this.#playout.heardMs;
  }

  override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    if (frame instanceof OutputAudioFrame) return this.#play(frame);
    if (frame instanceof EndFrame) return this.#end(frame);
    if (frame instanceof CancelFrame) return this.#cancel(frame);
    if (frame instanceof OutputDtmfFrame) return this.#sendDtmfAfterSpeech(frame.digits);
    if (frame instanceof SpeechMark) return this.#reach(frame);
    if (frame instanceof InterruptionFrame) this.#interrupt();
    this.push(frame, direction);
  }

  /** The carrier has played everything before the mark of this name. */
  markPlayed(name: string): void {
    this.#playout.markPlayed(name);
  }

  /** Resolves when the caller has heard what the pipeline has said so far, or can hear nothing any more. For one waiter at a time. */
  async spoken(): Promise<void> {
    if (this.#isOver) return;
    this.#mark = new SpeechMark();
    this.receive(this.#mark, 'downstream');
    await this.#mark.reached.promise;
  }

  /**
   * Sends digits behind the audio that is already on its way.
   * @throws VoicebotError VB_REQUEST_INVALID, VB_CARRIER_UNSUPPORTED, VB_STREAM_CLOSED
   */
  sendDtmf(digits: string): void {
    const { serializer } = this.params;
    const text = serializer.encodeDtmf(digits);
    if (text === undefined) {
      throw new VoicebotError('VB_CARRIER_UNSUPPORTED', `${serializer.carrier.name} sends no digits on a media stream`);
    }
    if (!this.stream.isOpen) throw new VoicebotError('VB_STREAM_CLOSED', 'digits cannot be sent');
    this.stream.send(text);
  }

  /** The stream is gone: nothing more can be heard on it. */
  stop(): void {
    this.#playout.stop();
    this.#forgetSpeech();
    this.#mark?.reached.resolve();
  }

  override cleanup(): void {
    this.#isOver = true;
    this.stop();
    this.call.released();
  }

  #play({ pcm, sampleRate }: OutputAudioFrame): void | Promise<void> {
    if (this.params.audioOutEnabled === false || !this.stream.isOpen) return;
    this.#playout.write(sampleRate === WIRE_SAMPLE_RATE ? pcm : this.#resampler(sampleRate).process(pcm));
    if (this.#playout.queuedMs > MAX_QUEUED_MS) return this.#playout.room(MAX_QUEUED_MS);
  }

  async #end(frame: EndFrame): Promise<void> {
    await this.#drain();
    await this.call.hangUp();
    this.push(frame);
  }

  async #cancel(frame: CancelFrame): Promise<void> {
    this.#interrupt();
    // After a failure another bot takes the caller over.
    if (frame.reason === 'failed') this.call.released();
    else await this.call.hangUp();
    this.push(frame);
  }

  async #sendDtmfAfterSpeech(digits: string): Promise<void> {
    const { signal } = this;
    await this.#drain();
    if (!signal.aborted) this.sendDtmf(digits);
  }

  async #reach(mark: SpeechMark): Promise<void> {
    await this.#drain();
    mark.reached.resolve();
  }

  /** Resolves when the utterance was played to its end, or was dropped. */
  async #drain(): Promise<void> {
    if (!this.#playout.isSpeaking) return;
    for (const resampler of this.#resamplers.values()) this.#playout.write(resampler.flush());
    await this.#playout.drain();
  }

  #interrupt(): void {
    this.#playout.interrupt();
    this.#forgetSpeech();
  }

  #forgetSpeech(): void {
    for (const resampler of this.#resamplers.values()) resampler.reset();
  }

  #resampler(sampleRate: number): Resampler {
    const known = this.#resamplers.get(sampleRate);
    if (known) return known;
    const resampler = new Resampler(sampleRate, WIRE_SAMPLE_RATE);
    this.#resamplers.set(sampleRate, resampler);
    return resampler;
  }

  #announce(frame: () => SystemFrame): void {
    this.push(frame(), 'upstream');
    this.push(frame(), 'downstream');
  }
}
