import { EarSession } from './ear-session.js';

/** One connection of a client to `/v1/listen` or `/v2/listen`: what it sent, and what is said to it. */
export abstract class ListenSession extends EarSession {
  override get isDone(): boolean {
    return this.messages.includes('CloseStream');
  }

  /**
   * Tells words that will not change; of Flux, the end of a turn.
   * @param options `endsUtterance`: whether silence was heard after it, default true, of Flux always; `untilMs`: where in the
   *   audio of this connection it ends, default all that came
   */
  abstract say(text: string, options?: { endsUtterance?: boolean; untilMs?: number }): void;

  /** Tells words that may still change: what was said since the last that will not. */
  abstract interim(text: string): void;

  /** Reports an error, as the service does before it closes. */
  abstract error(description: string): void;
}
