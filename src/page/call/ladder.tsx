import { useMemo, useState } from 'preact/hooks';
import type { TimelineEvent } from '../../call/timeline.js';
import { type LadderRow, ladderOf, PARTIES } from '../../call/view/ladder.js';
import { preciseClock } from '../parts/format.js';

const AT_ONCE = 300;
const NAMES = { provider: 'Provider', runner: 'Runner', bot: 'Bot' } as const;

/** What provider, runner and bot told each other. */
export function Ladder({ events, base }: { events: readonly TimelineEvent[]; base: number }) {
  const rows = useMemo(() => ladderOf(events), [events]);
  const [shown, setShown] = useState(AT_ONCE);
  if (rows.length === 0) return <p class="quiet">No message yet.</p>;
  return (
    <div class="ladder">
      <div class="parties" aria-hidden="true">
        <span />
        {PARTIES.map((party) => (
          <span key={party}>{NAMES[party]}</span>
        ))}
      </div>
      <ol>
        {rows.slice(0, shown).map((row, index) => (
          <Row key={`${index} ${row.at}`} row={row} base={base} />
        ))}
      </ol>
      {rows.length > shown && (
        <button type="button" onClick={() => setShown(shown + AT_ONCE * 10)}>
          Show more of {rows.length} messages
        </button>
      )}
    </div>
  );
}

function Row({ row, base }: { row: LadderRow; base: number }) {
  const [isOpen, setOpen] = useState(false);
  const [from, to] = [PARTIES.indexOf(row.from), PARTIES.indexOf(row.to)];
  const isOwn = from === to;
  const place = isOwn ? `own of-${row.from}` : `from-${Math.min(from, to)} to-${Math.max(from, to)}`;
  const direction = isOwn ? '' : to > from ? 'rightward' : 'leftward';
  const label = (
    <>
      {row.label}
      {row.count !== undefined && <span class="quiet"> ×{row.count}</span>}
    </>
  );
  return (
    <li class={row.isFailed ? 'bad' : ''}>
      <time class="at">{preciseClock(row.at - base, 3)}</time>
      <div class={`rung ${place} ${direction}`}>
        <span class="who">{isOwn ? NAMES[row.from] : `${NAMES[row.from]} → ${NAMES[row.to]}`}</span>
        {row.detail ? (
          <button type="button" class="text" title={row.name} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {label}
          </button>
        ) : (
          <span class="text" title={row.name}>
            {label}
          </span>
        )}
      </div>
      {isOpen && <pre>{row.detail}</pre>}
    </li>
  );
}
