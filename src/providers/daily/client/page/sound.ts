import type { AudioMessage } from '../audio-message.js';

/** What of a page is heard and said: the others' tracks, mixed, as 20 ms of PCM at a time, and a track of the bot's own. */
export class PageSound {
  readonly #context: AudioContext;
  readonly #ear: AudioWorkletNode;
  readonly #mouth: AudioWorkletNode;
  readonly #track: MediaStreamTrack;
  readonly #voices = new Map<MediaStreamTrack, ParticipantVoice>();
  /** Undefined: everybody is listened to. */
  #listened: ReadonlySet<string> | undefined;

  /**
   * @param sampleRate of the PCM both ways, in hertz
   * @param worklets address of the module with the worklets
   */
  static async open(sampleRate: number, worklets: string, heard: (pcm: ArrayBuffer) => void): Promise<PageSound> {
    // The page itself is not heard: it needs no device, and keeps the time of the system's clock.
    const options = { sampleRate, latencyHint: 'interactive', sinkId: { type: 'none' } };
    const context = new AudioContext(options as AudioContextOptions);
    await context.audioWorklet.addModule(worklets);
    await context.resume();
    return new PageSound(context, heard);
  }

  private constructor(context: AudioContext, heard: (pcm: ArrayBuffer) => void) {
    this.#context = context;
    const mono = { channelCount: 1, channelCountMode: 'explicit' } as const;
    this.#ear = new AudioWorkletNode(context, 'ear', { numberOfInputs: 1, numberOfOutputs: 1, ...mono });
    this.#ear.port.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => heard(data);
    this.#ear.connect(context.destination); // what leads nowhere is not processed
    this.#mouth = new AudioWorkletNode(context, 'mouth', { numberOfInputs: 0, outputChannelCount: [1] });
    const destination = new MediaStreamAudioDestinationNode(context, mono);
    this.#mouth.connect(destination);
    this.#track = destination.stream.getAudioTracks()[0] as MediaStreamTrack;
    this.#track.contentHint = 'speech';
  }

  /** What the bot says. */
  get track(): MediaStreamTrack {
    return this.#track;
  }

  /** Plays 20 ms of what the bot says. */
  say({ sequence, timestamp, payload }: AudioMessage): void {
    this.#mouth.port.postMessage({ ssrc: 0, sequence: sequence & 0xffff, timestamp, payload });
  }

  /** A participant can be heard, from now on. */
  add(sessionId: string, track: MediaStreamTrack): void {
    if (this.#voices.has(track)) return;
    this.#voices.set(track, new ParticipantVoice(this.#context, sessionId, track, this.#ear));
    this.#adjust();
  }

  /** A participant is not heard any more. */
  remove(track: MediaStreamTrack): void {
    this.#voices.get(track)?.close();
    this.#voices.delete(track);
  }

  /** Who is heard from now on; `undefined`: everybody. */
  listen(sessionIds: readonly string[] | undefined): void {
    this.#listened = sessionIds && new Set(sessionIds);
    this.#adjust();
  }

  async close(): Promise<void> {
    for (const track of [...this.#voices.keys()]) this.remove(track);
    this.#track.stop();
    await this.#context.close();
  }

  #adjust(): void {
    for (const voice of this.#voices.values()) voice.isHeard = this.#listened?.has(voice.sessionId) ?? true;
  }
}

/** One participant's track on its way into the mix. */
class ParticipantVoice {
  readonly #element = new Audio();
  readonly #source: MediaStreamAudioSourceNode;
  readonly #gain: GainNode;

  constructor(
    context: AudioContext,
    readonly sessionId: string,
    track: MediaStreamTrack,
    ear: AudioNode,
  ) {
    const mediaStream = new MediaStream([track]);
    // Chromium decodes a remote track only for an element that plays it.
    this.#element.muted = true;
    this.#element.srcObject = mediaStream;
    this.#element.play().catch(() => {}); // it was removed before it could begin
    this.#source = new MediaStreamAudioSourceNode(context, { mediaStream });
    this.#gain = new GainNode(context);
    this.#source.connect(this.#gain).connect(ear);
  }

  set isHeard(isHeard: boolean) {
    this.#gain.gain.value = isHeard ? 1 : 0;
  }

  close(): void {
    this.#source.disconnect();
    this.#gain.disconnect();
    this.#element.srcObject = null;
  }
}
