import type { OutputAudioFrame, Utterance } from '../../pipeline/frames/index.js';

/** How long a character is spoken, before a session has said enough to tell, in milliseconds. */
const CHARACTER_MS = 60;

/** How far a session has come with what it says: its words in writing run ahead of the sound. */
export class SessionSpeech {
  #utterance: Utterance | undefined;
  #text = '';
  #ms = 0;
  /** Of all that it has said to the end. */
  #saidMs = 0;
  #saidCharacters = 0;

  begins(utterance: Utterance): void {
    if (this.#text !== '') {
      this.#saidMs += this.#ms;
      this.#saidCharacters += this.#text.length;
    }
    this.#utterance = utterance;
    this.#text = '';
    this.#ms = 0;
  }

  text(delta: string): void {
    this.#text += delta;
  }

  audio({ pcm, sampleRate }: OutputAudioFrame): void {
    this.#ms += (pcm.length * 1_000) / sampleRate;
  }

  /** What is not heard of a text, from the first word of which less than half is. @param utterance what there is of it, where it has begun */
  restOf(text: string, utterance: Utterance | undefined): string {
    if (!utterance || utterance !== this.#utterance) return text;
    const characterMs = this.#saidCharacters > 0 ? this.#saidMs / this.#saidCharacters : CHARACTER_MS;
    const heard = this.#ms / characterMs;
    const words = [...text.matchAll(/\S+/g)];
    const sounded = words.filter(({ 0: word, index }) => index + word.length / 2 <= heard).length;
    const written = this.#text.split(/\s+/).filter((word) => word !== '').length;
    const next = words[this.#text === '' ? sounded : Math.min(sounded, written)];
    return next ? text.slice(next.index) : '';
  }
}
