/** What of the phone runs on the page's audio thread. */
import { Earpiece } from '../../base/audio/line/earpiece.js';
import { Microphone } from '../../base/audio/line/microphone.js';

/** Of the scope of an AudioWorklet, which TypeScript's library does not describe. */
declare const sampleRate: number;
declare const currentTime: number;
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}

class MicrophoneProcessor extends AudioWorkletProcessor {
  readonly #microphone = new Microphone(sampleRate);

  process([[samples = new Float32Array(0)] = []]: Float32Array[][]): boolean {
    this.#microphone.hear(samples, (payload) => this.port.postMessage(payload, [payload.buffer]));
    return true;
  }
}

class EarpieceProcessor extends AudioWorkletProcessor {
  readonly #earpiece = new Earpiece(sampleRate);

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<Uint8Array>) => this.#earpiece.hear(data, currentTime * 1_000);
  }

  process(_inputs: Float32Array[][], [[samples = new Float32Array(0)] = []]: Float32Array[][]): boolean {
    this.#earpiece.play(samples, currentTime * 1_000);
    return true;
  }
}

registerProcessor('microphone', MicrophoneProcessor);
registerProcessor('earpiece', EarpieceProcessor);
