import type { WebSocket } from 'ws';
import { encodeMulaw } from '../audio/mulaw.js';
import { Resampler } from '../audio/resampler.js';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  CancelFrame,
  EndFrame,
  type Frame,
  type FrameDirection,
  InterruptionFrame,
  OutputAudioFrame,
  type SystemFrame,
} from '../frames/index.js';
import { FrameProcessor } from '../pipeline/index.js';
import { WIRE_SAMPLE_RATE } from './carrier-frame-serializer.js';
import { Playout } from './playout.js';
import type { WebSocketTransportParams } from './websocket-transport-params.js';

/** Bot audio held here before the pipeline is asked to wait, in milliseconds. */
const MAX_QUEUED_MS = 10_000;
/** Bytes the peer may leave unread before releasing pauses: about a second of audio. */
const MAX_UNSENT_BYTES = 16 * 1_024;

/** Plays the pipeline's audio to the caller in real time and says when the bot is heard. */
export class WebSocketOutput extends FrameProcessor {
  readonly #playout: Playout;
  readonly #resamplers = new Map<number, Resampler>();

  constructor(
    websocket: WebSocket,
    private readonly params: WebSocketTransportParams,
    private readonly hangUp: () => Promise<void>,
  ) {
    super();
    const send = (text: string) => {
      if (websocket.readyState === websocket.OPEN) websocket.send(text);
    };
    this.#playout = new Playout(
      WIRE_SAMPLE_RATE,
      {
        sendAudio: (pcm) => send(params.serializer.encodeAudio(encodeMulaw(pcm))),
        sendMark: (name) => send(params.serializer.encodeMark(name)),
        sendClear: () => send(params.serializer.encodeClear()),
        isCongested: () => websocket.bufferedAmount > MAX_UNSENT_BYTES,
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
    if (frame instanceof InterruptionFrame) this.#interrupt();
    this.push(frame, direction);
  }

  /** The carrier has played everything before the mark of this name. */
  markPlayed(name: string): void {
    this.#playout.markPlayed(name);
  }

  /** The stream is gone: nothing more can be heard. */
  stop(): void {
    this.#playout.stop();
  }

  override cleanup(): void {
    this.stop();
  }

  #play({ pcm, sampleRate }: OutputAudioFrame): void | Promise<void> {
    if (this.params.audioOutEnabled === false) return;
    this.#playout.write(sampleRate === WIRE_SAMPLE_RATE ? pcm : this.#resampler(sampleRate).process(pcm));
    if (this.#playout.queuedMs > MAX_QUEUED_MS) return this.#playout.room(MAX_QUEUED_MS);
  }

  async #end(frame: EndFrame): Promise<void> {
    for (const resampler of this.#resamplers.values()) this.#playout.write(resampler.flush());
    await this.#playout.drain();
    await this.hangUp();
    this.push(frame);
  }

  async #cancel(frame: CancelFrame): Promise<void> {
    this.#interrupt();
    if (frame.reason !== 'failed') await this.hangUp(); // after a failure another bot takes the caller over
    this.push(frame);
  }

  #interrupt(): void {
    this.#playout.interrupt();
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
