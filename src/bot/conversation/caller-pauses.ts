/** A pause has to be longer than this part of the least silence before it teaches anything. */
const LEAST = 0.75;
/** How long the bot is silent in the first turns of a call, of a caller it does not know, as multiples of the least silence. */
const FIRST_TURNS = [1.65, 1.65, 1.25] as const;
/** A learnt pause is waited out and this much longer, in milliseconds: until the detector would have heard the caller go on. */
const MARGIN_MS = 150;
/** What is learnt makes the bot wait no longer than this, as a multiple of the least silence. */
const MOST = 2.1;
/** For how many turns one pause is remembered, and each of several. */
const ONE_LASTS_TURNS = 4;
const SEVERAL_LAST_TURNS = 12;

/** What a call teaches about its caller's pauses in the middle of a turn. */
export class CallerPauses {
  #paused: { readonly ms: number; readonly words: string } | undefined;
  #turns = 0;
  #pauses: Array<{ readonly ms: number; readonly turn: number }> = [];

  /** @param silenceMs the least silence before an answer */
  constructor(private readonly silenceMs: number) {}

  /** The caller went on after a pause in which nothing told that more was to come. */
  note(ms: number): void {
    if (ms < LEAST * this.silenceMs || ms > MOST * this.silenceMs) return;
    this.#pauses.push({ ms, turn: this.#turns });
  }

  /** The caller has finished a turn. */
  endTurn(): void {
    this.#turns += 1;
    const lasts = this.#pauses.length > 1 ? SEVERAL_LAST_TURNS : ONE_LASTS_TURNS;
    this.#pauses = this.#pauses.filter(({ turn }) => this.#turns - turn <= lasts);
  }

  /** How long this caller needs to be left alone after a sentence that seems finished, in milliseconds. */
  get neededMs(): number {
    const first = (FIRST_TURNS[this.#turns] ?? 0) * this.silenceMs;
    const learnt = Math.max(0, ...this.#pauses.map(({ ms }) => ms + MARGIN_MS));
    return Math.min(Math.max(first, learnt), MOST * this.silenceMs);
  }

  /** The caller goes on after a pause: it teaches something when other words follow than were there. */
  begin(ms: number, words: string): void {
    this.#paused = { ms, words };
  }

  /** The caller's words are these now, as plain words. */
  follow(words: string): void {
    if (!this.#paused || words === '' || words === this.#paused.words) return;
    this.note(this.#paused.ms);
    this.#paused = undefined;
  }

  /** No pause is being looked at. */
  forget(): void {
    this.#paused = undefined;
  }
}
