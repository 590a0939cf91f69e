import type { HeardBy } from '../../call/timeline.js';
import { heardWords, type LiveLine } from '../../call/view/live-lines.js';
import type { TypedSentence } from '../../call/view/typed-lines.js';
import { preciseClock } from '../parts/format.js';

/** What is being said: words are pale until they are heard, and while they may still change. */
export function LiveItem({ line, now, base }: { line: LiveLine; now: number; base: number }) {
  const heard = heardWords(line, now);
  return (
    <li class={`said ${line.speaker} is-live`}>
      <span class="line">
        <time class="at">{preciseClock(line.at - base)}</time>
        <span class="what">
          <span class="speaker">{line.speaker === 'caller' ? 'Caller' : 'Bot'}</span>
          <span class="words" dir="auto" lang={line.language}>
            {line.words.map(({ text, space }, index) => (
              <span key={index} class={index < heard ? 'heard' : 'upcoming'}>
                {text}
                {space}
              </span>
            ))}
          </span>
        </span>
      </span>
    </li>
  );
}

/** What stands beside words that something else than the bot's ears has understood. */
export const HEARD_BY: Readonly<Record<HeardBy, string>> = { browser: 'heard by the browser' };

/** A sentence that was typed on this page, or that the browser hears: pale until it was said. */
export function TypedItem({ sentence, base, isOver }: { sentence: TypedSentence; base: number; isOver: boolean }) {
  const { text, at, isSaid, by } = sentence;
  return (
    <li class="said caller typed-one">
      <span class="line">
        <time class="at">{preciseClock(at - base)}</time>
        <span class="what">
          <span class="speaker">Caller</span>
          <span class="chip">{by ? HEARD_BY[by] : isOver && !isSaid ? 'typed, not said' : 'typed'}</span>
          <span class={`words ${isSaid ? '' : 'upcoming'}`} dir="auto">
            {text}
          </span>
        </span>
      </span>
    </li>
  );
}
