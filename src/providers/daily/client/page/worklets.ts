/** What runs on the page's audio thread: the bot's ear and its mouth. */
import { BlockPlayer, toInt16 } from '../../../../base/audio/line/audio-blocks.js';
import { IncomingAudio, type ReceivedPacket } from '../../../../base/audio/line/incoming-audio.js';
import { LOCAL_DELAY, PcmCodec } from '../../../../base/audio/line/pcm-codec.js';

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
      this.#frame[this.#filled] = toInt16(sample);
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
  readonly #player = new BlockPlayer(this.#incoming);

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<ReceivedPacket>) => this.#incoming.receive(data, currentTime * 1_000);
  }

  process(_inputs: Float32Array[][], [[samples = new Float32Array(0)] = []]: Float32Array[][]): boolean {
    this.#player.play(samples, currentTime * 1_000);
    return true;
  }
}

registerProcessor('ear', EarProcessor);
registerProcessor('mouth', Mouth);
