import type { PhoneAnswer, PhoneRole, Spoken, TourPhones } from './tour-phone.js';

/** Says to a person what to do with a telephone. @param asked the same for a program that plays the person */
export type Please = (text: string, asked: PleaseDo) => void;

export type PleaseDo =
  | { readonly do: 'call'; readonly number: string }
  | { readonly do: 'expect'; readonly role: PhoneRole; readonly number: string; readonly answer: PhoneAnswer }
  | { readonly do: 'press'; readonly keys: string }
  | { readonly do: 'speak'; readonly what: Spoken }
  | { readonly do: 'hang up'; readonly role: PhoneRole };

const WHOSE: Readonly<Record<PhoneRole, string>> = { caller: 'your telephone', colleague: 'the second telephone' };
const ANSWERS: Readonly<Record<PhoneAnswer, string>> = {
  answers: 'answer it',
  'answers and presses 1': 'answer it, and press 1 when you hear the bot',
  declines: 'decline the call',
  'does not answer': 'let it ring, and do not answer',
};
const SPOKEN: Readonly<Record<Spoken, string>> = {
  'one word': 'Say one word, such as "yes", and be silent.',
  'a few sentences': 'Speak for about ten seconds, and be silent.',
  'something over the bot': 'You hear a tone: speak into it, loudly, until it stops.',
};

/** The telephones of a person, who is asked to use them. Whether that happened shows in the call. */
export class PersonPhones implements TourPhones {
  /** A person has to find the telephone. */
  readonly patienceMs = 120_000;
  readonly areOfPeople = true;

  constructor(
    private readonly numbers: Readonly<Record<PhoneRole, string | undefined>>,
    private readonly please: Please,
  ) {}

  has(role: PhoneRole): boolean {
    return this.numbers[role] !== undefined;
  }

  async call(number: string): Promise<void> {
    this.please(`Call ${number} with ${WHOSE.caller}.`, { do: 'call', number });
  }

  async expect(role: PhoneRole, answer: PhoneAnswer): Promise<void> {
    const number = this.numbers[role] ?? '';
    this.please(`Now ${WHOSE[role]} (${number}) rings: ${ANSWERS[answer]}.`, { do: 'expect', role, number, answer });
  }

  async press(keys: string): Promise<void> {
    this.please(`Press ${[...keys].join(', ')} on the telephone.`, { do: 'press', keys });
  }

  async speak(what: Spoken): Promise<void> {
    this.please(SPOKEN[what], { do: 'speak', what });
  }

  async hangUp(role: PhoneRole): Promise<void> {
    this.please(role === 'caller' ? 'Hang up.' : 'When you hear each other, hang up the second telephone.', {
      do: 'hang up',
      role,
    });
  }

  async rest(): Promise<void> {}

  async close(): Promise<void> {}
}
