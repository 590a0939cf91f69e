import type { LoopedSound } from './looped-sound.js';

/**
 * The one whom a transport connects a bot with, as holding and joining need them: what they hear beside what the bot says to them, and
 * whether the bot's pipeline hears them. What the bot says to them always reaches them, and never reaches those who hear them: a
 * bot whispers by saying it in one of the calls that are joined.
 *
 * A media stream passes on the sound of its peers; a room may leave the same to what its provider lets each of the participants hear.
 */
export interface Party {
  /**
   * They hear this in a loop wherever the bot says nothing, until {@link unhold}; undefined: silence. Called again, the sound is another one.
   * Not while they hear others.
   */
  hold(sound: LoopedSound | undefined): void;
  /** The sound fades out. Safe to call twice. */
  unhold(): void;
  /**
   * Whether what they say and press reaches the pipeline; at first it does. Recorded and passed on it is all the same. What they
   * were saying in the moment is over for the pipeline.
   */
  listen(isListening: boolean): void;
  /**
   * From now on they hear these parties too, and these alone: who is not in the list is not heard any more; with an empty one they are
   * with the bot alone. Keys that those press reach them as keys, where the provider can. To join two, each hears the other.
   * Resolves when it holds; on media streams at once, so that the next message of a peer passes.
   * @throws VoicebotError VB_CARRIER_UNSUPPORTED when this transport cannot have one of them heard: another kind of transport, another room
   */
  hear(others: readonly Party[]): Promise<void>;
}
