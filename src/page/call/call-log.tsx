import { useMemo, useState } from 'preact/hooks';
import type { TimelineEvent } from '../../call/timeline.js';
import { type LogLine, logLinesOf } from '../../call/view/log-lines.js';
import { preciseClock } from '../parts/format.js';

const LEVELS: readonly LogLine['level'][] = ['debug', 'info', 'warn', 'error'];
const AT_ONCE = 500;

/** What runner and bot have written about the call. */
export function CallLog({ events, base }: { events: readonly TimelineEvent[]; base: number }) {
  const lines = useMemo(() => logLinesOf(events), [events]);
  const [least, setLeast] = useState<LogLine['level']>('debug');
  const [shown, setShown] = useState(AT_ONCE);
  if (lines.length === 0) return <p class="quiet">Nothing has been written about this call.</p>;
  const wanted = lines.filter(({ level }) => LEVELS.indexOf(level) >= LEVELS.indexOf(least));
  return (
    <div class="log">
      <label>
        <span class="quiet">Level</span>{' '}
        <select value={least} onChange={({ currentTarget }) => setLeast(currentTarget.value as LogLine['level'])}>
          {LEVELS.map((level) => (
            <option key={level} value={level}>
              {level === 'debug' ? 'everything' : `${level} and worse`}
            </option>
          ))}
        </select>
      </label>
      <ol>
        {wanted.slice(-shown).map(({ at, level, source, text }, index) => (
          <li key={`${index} ${at}`} class={level}>
            <time class="at">{preciseClock(at - base, 3)}</time>
            <span class="source">{source}</span>
            <span class="text">
              {(level === 'warn' || level === 'error') && <strong>{level} </strong>}
              {text}
            </span>
          </li>
        ))}
      </ol>
      {wanted.length > shown && (
        <button type="button" onClick={() => setShown(shown + AT_ONCE * 10)}>
          Show more of {wanted.length} lines
        </button>
      )}
    </div>
  );
}
