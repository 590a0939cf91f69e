/** What runs on the page's audio thread: the bot's ear and its mouth. */
import { IncomingAudio, type ReceivedPacket } from '../../webrtc/incoming-audio.js';
import { LOCAL_DELAY, PcmCodec } from '../pcm-codec.js';

/** Of the scope of an AudioWorklet, which TypeScript's library does not describe. */
declare const sampleRate: number;
declare const currentTime: number;
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}

/** 20 ms. */
const FRAME_LENGTH = sampleRate / 50;

/** Cuts what is heard in the room into frames of 20 ms of 16 bits, silence included. */
class EarProcessor extends AudioWorkletProcessor {
  #frame = new Int16Array(FRAME_LENGTH);
  #filled = 0;

  process([[samples = new Float32Array(128)] = []]: Float32Array[][]): boolean {
    for (const sample of samples) {
      this.#frame[this.#filled] = Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)));
      this.#filled += 1;
      if (this.#filled < FRAME_LENGTH) continue;
      this.port.postMessage(this.#frame.buffer, [this.#frame.buffer]);
      this.#frame = new Int16Array(FRAME_LENGTH);
      this.#filled = 0;
    }
    return true;
  }
}

/** Plays what the bot says, evened out in time; silence while it says nothing. */
class Mouth extends AudioWorkletProcessor {
  readonly #incoming = new IncomingAudio(new PcmCodec(sampleRate), sampleRate, LOCAL_DELAY);
  #pcm: Int16Array = new Int16Array(0);
  #played = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<ReceivedPacket>) => this.#incoming.receive(data, currentTime * 1_000);
  }

  process(_inputs: Float32Array[][], [[samples = new Float32Array(0)] = []]: Float32Array[][]): boolean {
    for (let n = 0; n < samples.length; n += 1) {
      if (this.#played === this.#pcm.length) {
        this.#pcm = this.#incoming.hear(currentTime * 1_000);
        this.#played = 0;
      }
      samples[n] = (this.#pcm[this.#played] as number) / 32_768;
      this.#played += 1;
    }
    return true;
  }
}

registerProcessor('ear', EarProcessor);
registerProcessor('mouth', Mouth);
