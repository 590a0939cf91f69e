import type { LivekitAgents, LivekitAudioOutput, LivekitFrame } from './livekit-types.js';

const FRAME_SAMPLES = 160;
const FRAME_MS = 20;
/** So much is handed to the carrier ahead of its time, in milliseconds: as much as our transports do. */
const LEAD_MS = 100;
const POLL_MS = 5;

/** Where the audio goes: 20 ms of it in its time, or nothing more of what was handed over. */
export interface PlayoutSink {
  play(pcm: Int16Array): void;
  clear(): void;
}

export interface LivekitPlayout extends LivekitAudioOutput {
  close(): void;
}

/** Plays out what the agent says in real time: can be paused, and cleared, within a frame. */
export function livekitPlayout({ voice }: LivekitAgents, sampleRate: number, sink: PlayoutSink): LivekitPlayout {
  class Playout extends voice.AudioOutput implements LivekitPlayout {
    /** Of the segment that is being captured or played. */
    #queue: Int16Array[] = [];
    #rest = new Int16Array();
    #capturedMs = 0;
    #playedMs = 0;
    #isFlushed = false;
    #isPaused = false;
    /** When all that was handed over will have been played. */
    #playsUntil = 0;
    readonly #timer = setInterval(() => this.#play(), POLL_MS);

    constructor() {
      super(sampleRate, undefined, { pause: true });
    }

    override async captureFrame(frame: LivekitFrame): Promise<void> {
      await super.captureFrame(frame);
      this.#isFlushed = false;
      this.#capturedMs += (1_000 * frame.samplesPerChannel) / frame.sampleRate;
      const samples = new Int16Array(this.#rest.length + frame.data.length);
      samples.set(this.#rest);
      samples.set(frame.data, this.#rest.length);
      let at = 0;
      for (; at + FRAME_SAMPLES <= samples.length; at += FRAME_SAMPLES) {
        this.#queue.push(samples.slice(at, at + FRAME_SAMPLES));
      }
      this.#rest = samples.slice(at);
    }

    override flush(): void {
      super.flush();
      if (this.#rest.length > 0) {
        const last = new Int16Array(FRAME_SAMPLES);
        last.set(this.#rest);
        this.#queue.push(last);
        this.#rest = new Int16Array();
      }
      this.#isFlushed = true;
    }

    override clearBuffer(): void {
      if (this.#capturedMs === 0) return;
      const unheardMs = this.#dropHandedOver();
      this.#queue = [];
      this.#rest = new Int16Array();
      if (!this.#isFlushed) super.flush();
      this.#finish(Math.max(0, this.#playedMs - unheardMs), true);
    }

    override pause(): void {
      super.pause();
      if (this.#isPaused) return;
      this.#isPaused = true;
      // as a room does: what was handed over and not heard is lost
      this.#playedMs -= this.#dropHandedOver();
    }

    override resume(): void {
      super.resume();
      this.#isPaused = false;
    }

    close(): void {
      clearInterval(this.#timer);
    }

    #play(): void {
      const now = performance.now();
      while (!this.#isPaused && this.#queue.length > 0 && this.#playsUntil - now < LEAD_MS) {
        const pcm = this.#queue.shift() as Int16Array;
        if (this.#playedMs === 0) this.onPlaybackStarted(Date.now());
        this.#playedMs += FRAME_MS;
        this.#playsUntil = Math.max(now, this.#playsUntil) + FRAME_MS;
        sink.play(pcm);
      }
      const isOver = this.#isFlushed && this.#queue.length === 0 && !this.#isPaused && now >= this.#playsUntil;
      if (this.#capturedMs > 0 && isOver) this.#finish(this.#playedMs, false);
    }

    #finish(playedMs: number, interrupted: boolean): void {
      this.#capturedMs = 0;
      this.#playedMs = 0;
      this.#isFlushed = false;
      this.onPlaybackFinished({ playbackPosition: playedMs / 1_000, interrupted });
    }

    /** @returns how much of what was handed over will not be heard, in milliseconds */
    #dropHandedOver(): number {
      const now = performance.now();
      const unheardMs = Math.max(0, this.#playsUntil - now);
      this.#playsUntil = now;
      sink.clear();
      return unheardMs;
    }
  }
  return new Playout();
}
