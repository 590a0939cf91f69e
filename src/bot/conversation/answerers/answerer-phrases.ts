/**
 * What those who answer a dialled call say, in one language. Each is the source of a regular expression over the words of `spokenWords`: small
 * letters, no accents, no apostrophes, single spaces. `_` stands for one word and the space behind it, so `leave _{0,2}message` allows up to two
 * words in between.
 */
export interface AnswererPhrases {
  /** Only machines say it: one is proof. */
  readonly proofs: readonly string[];
  /** Machines ask for it, and people who ask do so in a question: one is enough when nothing speaks for a person. */
  readonly requests: readonly string[];
  /** Machines say it, and people may: two different ones are enough when nothing speaks for a person. */
  readonly hints: readonly string[];
  /** Only people say it: questions, words about others, an answer to a caller. */
  readonly people: readonly string[];
  /** A screening assistant asks who calls and why, or says what it is. */
  readonly screeners: readonly string[];
  /** It asks who calls and why, and so may a person in an office: enough when nothing speaks for a person. */
  readonly asksWho: readonly string[];
  /** It has not understood, or asks for more. */
  readonly asksAgain: readonly string[];
  /** It has the caller wait. */
  readonly waits: readonly string[];
  /** It connects the caller: the person comes on next. */
  readonly connects: readonly string[];
  /** The person does not want the call. */
  readonly declines: readonly string[];
  /** How people begin who have just come on. */
  readonly hellos: readonly string[];
}
