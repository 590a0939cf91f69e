/** What has been silent for so long, in milliseconds, begins anew: less than what the recording takes for audio that came too late. */
const MIN_SILENCE_MS = 200;

/** Tells when the bot begins to speak: a mark behind that says when its caller hears it. */
export class SpeechBeginnings {
  /** When everything sent so far has been played, by the clock. */
  #playedAt = Number.NEGATIVE_INFINITY;

  /** @param ms of audio @param now milliseconds @returns whether speech begins with it */
  sent(ms: number, now: number): boolean {
    const begins = now > this.#playedAt + MIN_SILENCE_MS;
    this.#playedAt = Math.max(now, this.#playedAt) + ms;
    return begins;
  }

  /** What was sent is not played on. */
  cut(): void {
    this.#playedAt = Number.NEGATIVE_INFINITY;
  }
}
