/** Whose telephone. */
export type PhoneRole = 'caller' | 'colleague';

/** What a telephone does when it rings. */
export type PhoneAnswer = 'answers' | 'answers and presses 1' | 'declines' | 'does not answer';

/** What is said into a telephone. */
export type Spoken = 'one word' | 'a few sentences' | 'something over the bot';

/** The telephones of a tour: those of a person, who is told what to do, or of a program. Each resolves when that was said or begun. */
export interface TourPhones {
  /** How long what they are asked for may take, in milliseconds. */
  readonly patienceMs: number;
  /** People use them, who may hang up too early and are asked once more. */
  readonly areOfPeople: boolean;
  /** Whether there is one for this role. */
  has(role: PhoneRole): boolean;
  /** Calls the bot. @param number of the bot, E.164 */
  call(number: string): Promise<void>;
  /** The next call to this telephone is answered so. */
  expect(role: PhoneRole, answer: PhoneAnswer): Promise<void>;
  press(keys: string): Promise<void>;
  speak(what: Spoken): Promise<void>;
  hangUp(role: PhoneRole): Promise<void>;
  /** What went before is over, whether it succeeded or not: telephones that still talk hang up. */
  rest(): Promise<void>;
  close(): Promise<void>;
}
