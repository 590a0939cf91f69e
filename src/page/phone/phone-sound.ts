import { Mouthpiece } from '../../base/audio/line/mouthpiece.js';

/** The compiled `phone-worklets.ts`: the page brings it along, since it loads nothing. */
declare const PHONE_WORKLETS: string;

/** Rates that the phone's audio thread can convert, in hertz. */
const RATES = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000];
const USUAL_RATE = 48_000;

export type MicrophoneState = 'asking' | 'on' | 'refused' | 'absent' | 'busy';

/** The phone's microphone and earpiece, for one call. To be created when a person has just clicked: browsers play no sound otherwise. */
export class PhoneSound {
  readonly mouthpiece = new Mouthpiece();
  readonly #context = contextOfKnownRate();
  #earpiece: AudioWorkletNode | undefined;
  #microphone: MediaStream | undefined;
  #isClosed = false;

  /** What the microphone hears, without the echo of the earpiece. */
  get track(): MediaStreamTrack | undefined {
    return this.#microphone?.getAudioTracks()[0];
  }

  async open(): Promise<void> {
    const context = this.#context;
    const module = URL.createObjectURL(new Blob([PHONE_WORKLETS], { type: 'text/javascript' }));
    await context.audioWorklet.addModule(module).finally(() => URL.revokeObjectURL(module));
    await context.resume();
    this.#earpiece = new AudioWorkletNode(context, 'earpiece', { numberOfInputs: 0, outputChannelCount: [1] });
    this.#earpiece.connect(context.destination);
  }

  /** Asks the person for the microphone, and listens to it from then on. @param onLost it is gone, in the middle of a call */
  async listen(onLost: (state: MicrophoneState) => void): Promise<MicrophoneState> {
    // Pages from other machines have none without TLS.
    if (!navigator.mediaDevices) return 'absent';
    try {
      this.#microphone = await navigator.mediaDevices.getUserMedia({
        audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 },
      });
    } catch (error) {
      return stateAfter(error as DOMException);
    }
    if (this.#isClosed) this.#stopMicrophone();
    else this.#connect(this.#microphone, onLost);
    return 'on';
  }

  /** Plays the next 20 ms that are heard on the line. @param payload mu-law */
  hear(payload: Uint8Array): void {
    this.#earpiece?.port.postMessage(payload);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopMicrophone();
    await this.#context.close();
  }

  #connect(mediaStream: MediaStream, onLost: (state: MicrophoneState) => void): void {
    const [track] = mediaStream.getAudioTracks();
    track?.addEventListener('ended', () => onLost('absent'), { once: true });
    const mono = { channelCount: 1, channelCountMode: 'explicit' } as const;
    const ear = new AudioWorkletNode(this.#context, 'microphone', { numberOfInputs: 1, numberOfOutputs: 1, ...mono });
    ear.port.onmessage = ({ data }: MessageEvent<Uint8Array>) => this.mouthpiece.heard(data, performance.now());
    new MediaStreamAudioSourceNode(this.#context, { mediaStream }).connect(ear);
    ear.connect(this.#context.destination); // what leads nowhere is not processed; it says nothing
  }

  #stopMicrophone(): void {
    for (const track of this.#microphone?.getTracks() ?? []) track.stop();
  }
}

/** Some devices have rates of their own, which browsers convert where they are asked to. */
function contextOfKnownRate(): AudioContext {
  const context = new AudioContext({ latencyHint: 'interactive' });
  if (RATES.includes(context.sampleRate)) return context;
  void context.close();
  return new AudioContext({ latencyHint: 'interactive', sampleRate: USUAL_RATE });
}

/** @see Media Capture and Streams, getUserMedia() */
function stateAfter({ name }: DOMException): MicrophoneState {
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused';
  return name === 'NotReadableError' || name === 'AbortError' ? 'busy' : 'absent';
}
