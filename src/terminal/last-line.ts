import type { Writable } from 'node:stream';
import { cleanText } from '../base/clean-text.js';
import { UNSPACED } from '../base/unspaced-writing.js';

/** A line for people of which some has been heard, and more is to come. */
export interface LineParts {
  /** Stays, such as whose line it is. */
  readonly head: string;
  /** With the space behind it. */
  readonly heard: string;
  readonly upcoming: string;
  /** Colours, after the parts have been made to fit. */
  readonly paint: { head(text: string): string; upcoming(text: string): string };
}

const CLEAR_LINE = '\r\u001b[2K';
const MORE = '…';
/** What is left of a word that does not fit. */
const BROKEN_END = new RegExp(`(?<=[\\s${UNSPACED}])[^\\s${UNSPACED}]+$`, 'u');
const BROKEN_START = new RegExp(`^[^\\s${UNSPACED}]+(?=[\\s${UNSPACED}])`, 'u');
/** Of the room of a narrow terminal, what is left for words that were heard when more is to come than fits. */
const HEARD_SHARE = 0.6;

/** The last line of a terminal, which is written again while something goes on; what else is written stands above it. */
export class LastLine {
  #shown: LineParts | undefined;
  #isPaused = false;
  /** As it was written last: the same is not written again. */
  #written = '';

  constructor(private readonly stream: Writable & { columns?: number }) {}

  show(parts: LineParts | undefined): void {
    this.#shown = parts;
    if (!this.#isPaused) this.#draw();
  }

  /** Writes whole lines above it. */
  above(lines: string): void {
    if (this.#written === '') {
      this.stream.write(lines);
      return;
    }
    const line = this.#isPaused ? '' : this.#line();
    this.stream.write(`${CLEAR_LINE}${lines}${line}`);
    this.#written = line;
  }

  /** Takes the line away while something else writes the last line again. @returns brings it back */
  pause(): () => void {
    this.#isPaused = true;
    if (this.#written !== '') this.stream.write(CLEAR_LINE);
    this.#written = '';
    return () => {
      this.#isPaused = false;
      this.#draw();
    };
  }

  #draw(): void {
    const line = this.#line();
    if (line === this.#written) return;
    this.stream.write(`${CLEAR_LINE}${line}`);
    this.#written = line;
  }

  #line(): string {
    if (!this.#shown) return '';
    const { head, heard, upcoming, paint } = this.#shown;
    const room = (this.stream.columns ?? 80) - 1;
    const fits = fitted(cleanText(heard), cleanText(upcoming), Math.max(0, room - widthOf(head)));
    return `${paint.head(cutEnd(cleanText(head), room))}${fits.heard}${fits.upcoming && paint.upcoming(fits.upcoming)}`;
  }
}

/** The words around the one that is heard, in a line that does not break. */
function fitted(heard: string, upcoming: string, room: number): { heard: string; upcoming: string } {
  if (widthOf(heard + upcoming) <= room) return { heard, upcoming };
  const forUpcoming = Math.min(
    widthOf(upcoming),
    Math.max(0, room - Math.min(widthOf(heard), Math.floor(room * HEARD_SHARE))),
  );
  const cut = cutEnd(upcoming, forUpcoming);
  return { heard: cutStart(heard, Math.max(0, room - widthOf(cut))), upcoming: cut };
}

function cutEnd(text: string, room: number): string {
  if (widthOf(text) <= room) return text;
  let kept = '';
  for (const character of text) {
    if (widthOf(kept + character) > room - 1) break;
    kept += character;
  }
  return room < 1 ? '' : `${kept.replace(BROKEN_END, '')}${MORE}`;
}

function cutStart(text: string, room: number): string {
  if (widthOf(text) <= room) return text;
  const characters = [...text];
  let width = 0;
  let from = characters.length;
  while (from > 0 && width + widthOf(characters[from - 1] ?? '') <= room - 1) {
    from -= 1;
    width += widthOf(characters[from] ?? '');
  }
  const kept = characters.slice(from).join('');
  return room < 1 ? '' : `${MORE}${kept.replace(BROKEN_START, '')}`;
}

/** Characters that take two places of a terminal, and those that take none. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NONE = /\p{M}|\u200d|\ufe0f/u;

function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
