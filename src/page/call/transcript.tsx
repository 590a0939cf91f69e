import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { TimelineEvent } from '../../call/timeline.js';
import { lastOf, textOf } from '../../call/view/events.js';
import { type LiveLine, liveLinesOf, textOfWords } from '../../call/view/live-lines.js';
import { type SaidItem, type ToolItem, type TranscriptItem, transcriptOf } from '../../call/view/transcript.js';
import { isBeingTyped, notUnderstood, type TypedSentence } from '../../call/view/typed-lines.js';
import { useTyped } from '../link/typed-sentences.js';
import { duration, preciseClock, words } from '../parts/format.js';
import { ExceptionNote } from './exception-note.js';
import { useLiveClock } from './live-clock.js';
import { HEARD_BY, LiveItem, TypedItem } from './live-item.js';
import type { Playback } from './use-playback.js';

export interface TranscriptProps {
  readonly events: readonly TimelineEvent[];
  readonly base: number;
  readonly playback: Playback;
  readonly isOver: boolean;
}

/** How far from its end a list may be scrolled and still follow what is added, in pixels. */
const NEAR_END = 80;
/** An answer within this time feels like talk, and one beyond the second like a pause, in milliseconds. */
const PROMPT_MS = 1_000;
const SLOW_MS = 2_000;

/** What is shown in the list, in the order in which it began. */
type Shown = TranscriptItem | LiveLine | (TypedSentence & { readonly kind: 'typed' });

/** What was said and done, in step with the recording; and in a call that goes on what is being said, in step with the sound. */
export function Transcript({ events, base, playback, isOver }: TranscriptProps) {
  const said = useMemo(() => transcriptOf(events), [events]);
  const typed = useTyped(useMemo(() => lastOf(events, 'record')?.record.id, [events]));
  const lines = useMemo(() => (isOver ? [] : liveLinesOf(events)), [events, isOver]);
  const now = useLiveClock(events, lines);
  const items = useMemo((): readonly Shown[] => {
    const open = notUnderstood(typed, events);
    const live = lines.filter((line) => line.speaker === 'bot' || !isBeingTyped(textOfWords(line.words), open));
    const sentences = open.map((sentence) => ({ ...sentence, kind: 'typed' as const }));
    return [...said, ...live, ...sentences].sort((a, b) => a.at - b.at);
  }, [said, lines, typed, events]);
  const wordCount = lines.reduce((sum, line) => sum + line.words.length, 0);
  const list = useRef<HTMLOListElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    if (!isOver && follows.current) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [items.length, wordCount, isOver]);

  const played = playback.positionMs + base;
  const current = playback.positionMs > 0 ? items.findLastIndex((item) => isSpokenAt(item, played)) : -1;
  useEffect(() => {
    if (current === -1 || !playback.isPlaying || !list.current) return;
    const line = list.current.children[current];
    if (line instanceof HTMLElement) keepInView(list.current, line);
  }, [current, playback.isPlaying]);

  if (items.length === 0) {
    return (
      <p class="quiet">
        {isOver ? 'Nothing was said that a bot has understood.' : 'Neither side has said anything yet.'}
      </p>
    );
  }
  return (
    <>
      <Finished said={said} isOver={isOver} />
      <ol
        class="transcript"
        ref={list}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which the keyboard has to be able to
        tabIndex={0}
        aria-label="What was said"
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          follows.current = scrollHeight - clientHeight - scrollTop < NEAR_END;
        }}
      >
        {items.map((item, index) => {
          const key = `${item.kind === 'live' ? 'said' : item.kind} ${item.at} ${index}`;
          if (item.kind === 'live') return <LiveItem key={key} line={item} now={now} base={base} />;
          if (item.kind === 'typed') return <TypedItem key={key} sentence={item} base={base} isOver={isOver} />;
          const onSeek = playback.peaks ? () => playback.seek(item.at - base) : undefined;
          return <Item key={key} item={item} base={base} isCurrent={index === current} onSeek={onSeek} />;
        })}
      </ol>
    </>
  );
}

/** Tells a screen reader each line when it is finished: words that come one by one would be too much. */
function Finished({ said, isOver }: { said: readonly TranscriptItem[]; isOver: boolean }) {
  const first = useRef(said.length);
  const last = said.length > first.current ? said.findLast((item) => item.kind === 'said') : undefined;
  if (isOver) return null;
  return (
    <p class="unseen" aria-live="polite">
      {last && `${last.speaker === 'caller' ? 'Caller' : 'Bot'}: ${last.text}`}
    </p>
  );
}

const isSpokenAt = (item: Shown, at: number): boolean => item.kind === 'said' && item.at <= at && at <= item.endedAt;

function keepInView(list: HTMLElement, line: HTMLElement): void {
  const top = line.offsetTop - list.offsetTop;
  if (top < list.scrollTop) list.scrollTo({ top: top - 8 });
  else if (top + line.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTo({ top: top + line.offsetHeight - list.clientHeight + 8 });
  }
}

interface ItemProps {
  readonly item: TranscriptItem;
  readonly base: number;
  readonly isCurrent: boolean;
  readonly onSeek: (() => void) | undefined;
}

function Item({ item, base, isCurrent, onSeek }: ItemProps) {
  const time = <time class="at">{preciseClock(item.at - base)}</time>;
  if (item.kind !== 'said') {
    return (
      <li class={`aside ${item.kind === 'note' && item.tone === 'bad' ? 'bad' : ''}`}>
        {time}
        <div class="what">
          <Aside item={item} />
        </div>
      </li>
    );
  }
  const line = (
    <>
      {time}
      <span class="what">
        <Said item={item} />
      </span>
    </>
  );
  return (
    <li class={`said ${item.speaker} ${isCurrent ? 'is-current' : ''}`} aria-current={isCurrent}>
      {onSeek ? (
        <button type="button" class="line" onClick={onSeek}>
          {line}
        </button>
      ) : (
        <span class="line">{line}</span>
      )}
    </li>
  );
}

function Said({ item }: { item: SaidItem }) {
  return (
    <>
      <span class="speaker">{item.speaker === 'caller' ? 'Caller' : 'Bot'}</span>
      {item.waitedMs !== undefined && (
        <span
          class={`chip wait ${waitTone(item.waitedMs)}`}
          title="From the caller's last sound to the first sound that they heard"
        >
          {duration(item.waitedMs)}
        </span>
      )}
      {item.wasInterrupted && <span class="chip warn">interrupted</span>}
      {item.isTyped && <span class="chip">typed</span>}
      {item.by && <span class="chip">{HEARD_BY[item.by]}</span>}
      <span class="words" dir="auto" lang={item.language}>
        {item.text}
        {item.unheard && (
          <>
            {' '}
            <span class="unseen" dir="ltr" lang="en">
              not heard:{' '}
            </span>
            <s>{item.unheard}</s>
          </>
        )}
      </span>
    </>
  );
}

const waitTone = (ms: number) => (ms <= PROMPT_MS ? 'good' : ms <= SLOW_MS ? 'warn' : 'bad');

function Aside({ item }: { item: Exclude<TranscriptItem, SaidItem> }) {
  if (item.kind === 'tool') return <Tool item={item} />;
  if (item.kind === 'keys')
    return (
      <>
        {item.direction === 'in' ? 'Caller pressed' : 'Bot pressed'} <kbd>{item.keys}</kbd>
      </>
    );
  if (item.kind === 'note')
    return (
      <>
        {item.text}
        {item.exception && <ExceptionNote exception={item.exception} />}
      </>
    );
  return (
    <>
      Transfer to <strong>{item.to}</strong>{' '}
      {item.status === undefined ? (
        <span class="chip live">under way</span>
      ) : (
        <span class={`chip ${item.status === 'answered' ? 'good' : 'bad'}`}>{words(item.status)}</span>
      )}
      {item.detail && <span class="quiet"> {item.detail}</span>}
    </>
  );
}

function Tool({ item }: { item: ToolItem }) {
  return (
    <details>
      <summary>
        Tool <strong>{item.name}</strong>{' '}
        {item.ms === undefined ? (
          <span class="chip live">at work</span>
        ) : (
          <span class={`chip ${item.isError ? 'bad' : ''}`}>{item.isError ? 'failed' : duration(item.ms)}</span>
        )}
      </summary>
      <pre>{textOf(item.input)}</pre>
      {item.ms !== undefined && <pre>→ {textOf(item.output)}</pre>}
    </details>
  );
}
