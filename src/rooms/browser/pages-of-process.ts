import { VoicebotError } from '../../errors.js';
import type { Pages } from './pages.js';

let current: Pages | undefined;

/** Says where pages of this process are opened. */
export function usePages(pages: Pages): void {
  current = pages;
}

export function pagesOfThisProcess(): Pages {
  if (!current) throw new VoicebotError('VB_BROWSER_FAILED', 'there is none yet');
  return current;
}
