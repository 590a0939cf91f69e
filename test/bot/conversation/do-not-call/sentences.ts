import { DE } from './sentences-de.js';
import { EN } from './sentences-en.js';
import { ES } from './sentences-es.js';
import { FR } from './sentences-fr.js';
import { IT } from './sentences-it.js';

/** What people say, a sentence or two on each line. */
export interface Sentences {
  /** They ask not to be called again. */
  readonly asks: string;
  /** They do not. */
  readonly others: string;
}

export const SENTENCES = { en: EN, de: DE, es: ES, fr: FR, it: IT };
