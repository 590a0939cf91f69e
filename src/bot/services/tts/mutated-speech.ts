import { currentMutation, type MutationOf, noteMutation, plainSentence } from '../../../call/mutation.js';
import type { CallTimeline } from '../../../call/timeline.js';

type SpeechMutation = MutationOf<'sentence_twice' | 'sentence_missing' | 'goodbye_missing'>;

/** A sentence that is over: another one may follow it. */
const SENTENCE = /^.*?[.!?…]\s+/su;
/** Fewer words may come twice without harm. */
const LONG_WORDS = 3;
/** Which sentence of a call is missing. */
const MISSING_NO = 2;

/** What a bot that a test breaks on purpose says in one call, sentence by sentence. */
export class MutatedSpeech {
  /** Not complete yet. */
  #rest = '';
  #sentences = 0;
  #isDone = false;

  private constructor(
    private readonly mutation: SpeechMutation,
    private readonly timeline: () => CallTimeline | undefined,
  ) {}

  /** Undefined where speech is as it should be. */
  static ofThisProcess(timeline: () => CallTimeline | undefined): MutatedSpeech | undefined {
    const mutation = currentMutation();
    switch (mutation?.kind) {
      case 'sentence_twice':
      case 'sentence_missing':
      case 'goodbye_missing':
        return new MutatedSpeech(mutation, timeline);
      default:
        return undefined;
    }
  }

  /** Takes the next text of an answer. @returns what of it can be said now */
  write(text: string): string {
    this.#rest += text;
    let said = '';
    for (let found = SENTENCE.exec(this.#rest); found; found = SENTENCE.exec(this.#rest)) {
      this.#rest = this.#rest.slice(found[0].length);
      said += this.#say(found[0]);
    }
    return said;
  }

  /** The answer is over. @returns the rest of it */
  end(): string {
    const rest = this.#rest;
    this.#rest = '';
    return this.#say(rest);
  }

  /** What is said in place of a text that comes at one go, whatever is being written. */
  whole(text: string): string {
    const rest = this.#rest;
    this.#rest = '';
    const said = this.write(text) + this.end();
    this.#rest = rest;
    return said;
  }

  /** What is being written will not be said. */
  forget(): void {
    this.#rest = '';
  }

  #say(sentence: string): string {
    const plain = plainSentence(sentence);
    if (plain === '') return sentence;
    this.#sentences += 1;
    switch (this.mutation.kind) {
      case 'sentence_twice':
        if (this.#isDone || plain.split(' ').length < LONG_WORDS) return sentence;
        return this.#instead(`${sentence.trimEnd()} ${sentence}`);
      case 'sentence_missing':
        return this.#sentences === MISSING_NO ? this.#instead('') : sentence;
      case 'goodbye_missing':
        return this.mutation.sentences.includes(plain) ? this.#instead('') : sentence;
    }
  }

  #instead(words: string): string {
    this.#isDone = true;
    noteMutation(this.timeline(), this.mutation);
    return words;
  }
}
