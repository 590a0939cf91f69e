import { useMemo } from 'preact/hooks';
import { type SetUp, setUpOf, type TurnStep, type TurnView, turnsOf, waitsOf } from '../../call/view/waterfall.js';
import { duration, preciseClock } from '../parts/format.js';
import { Talk, type TalkProps } from './talk.js';

const STEP_WORDS: Readonly<Record<TurnStep['name'], string>> = {
  transcript: 'final transcript',
  turn: 'request to the model',
  model: 'first token',
  sentence: 'first words to the voice',
  voice: 'first audio',
  playout: 'first sound heard',
};

/** What the caller waited for: until the bot was heard, and in each turn. */
export function Timing({ events, base, figures, isOver, onSeek }: TalkProps & { readonly isOver: boolean }) {
  const setUp = useMemo(() => setUpOf(events), [events]);
  const turns = useMemo(() => turnsOf(events), [events]);
  return (
    <div class="timing">
      <h3>Set-up</h3>
      {setUp ? <SetUpChart setUp={setUp} isOver={isOver} /> : <p class="quiet">Nothing is known of it.</p>}
      <h3>Turns</h3>
      {turns.length > 0 ? (
        <TurnsChart turns={turns} base={base} onSeek={onSeek} />
      ) : (
        <p class="quiet">No answer of the bot has been measured.</p>
      )}
      <h3>Talk</h3>
      <Talk events={events} base={base} figures={figures} onSeek={onSeek} />
    </div>
  );
}

function SetUpChart({ setUp: { rows, lengthMs, heardMs }, isOver }: { setUp: SetUp; isOver: boolean }) {
  const share = (ms: number) => `${(100 * ms) / Math.max(1, lengthMs)}%`;
  return (
    <>
      <p class="quiet">
        {heardMs !== undefined
          ? `The bot was heard after ${duration(heardMs)}.`
          : isOver
            ? 'The bot was not heard.'
            : 'The bot has not been heard yet.'}
      </p>
      <ul class="legend" aria-hidden="true">
        {['provider', 'runner', 'bot'].map((who) => (
          <li key={who}>
            <span class={`swatch ${who}`} /> {who}
          </li>
        ))}
      </ul>
      <ol class="set-up">
        {rows.map(({ who, label, name, from, to, isFailed }, index) => (
          <li key={`${index} ${label}`} class={isFailed ? 'bad' : ''}>
            <span class="label" title={name ?? label}>
              {label}
            </span>
            <span class="track" aria-hidden="true">
              <span class={`stretch ${who}`} style={{ left: share(from), width: share(to - from) }} />
            </span>
            <span class="figure">{to === from ? `at ${duration(from)}` : duration(to - from)}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

function TurnsChart({ turns, base, onSeek }: { turns: readonly TurnView[] } & Omit<TalkProps, 'events' | 'figures'>) {
  const longest = Math.max(...turns.flatMap(({ steps }) => steps.at(-1)?.to ?? 0), 1);
  const waits = waitsOf(turns);
  return (
    <>
      {waits && (
        <p class="quiet">
          From the caller's last sound until an answer was heard: {duration(waits.median)} (median of {waits.count}),{' '}
          {duration(waits.longest)} at most.
        </p>
      )}
      <ul class="legend">
        {Object.entries(STEP_WORDS).map(([name, words]) => (
          <li key={name}>
            <span class={`swatch step-${name}`} /> {words}
          </li>
        ))}
      </ul>
      <ol class="turns">
        {turns.map((turn) => (
          <li key={turn.number}>
            <details>
              <summary>
                <span class="label">
                  {turn.number}
                  <span class="unseen">. turn, at </span>{' '}
                  <span class="quiet">{preciseClock(turn.startedAt - base)}</span>
                </span>
                <span class="track" aria-hidden="true">
                  {turn.steps.map(({ name, from, to }) => (
                    <span
                      key={name}
                      class={`stretch step-${name}`}
                      style={{ left: `${(100 * from) / longest}%`, width: `${(100 * (to - from)) / longest}%` }}
                    />
                  ))}
                </span>
                <span class="figure">{turn.heardMs === undefined ? 'not heard' : duration(turn.heardMs)}</span>
              </summary>
              <TurnDetail turn={turn} onSeek={() => onSeek(turn.startedAt - base)} />
            </details>
          </li>
        ))}
      </ol>
    </>
  );
}

function TurnDetail({ turn, onSeek }: { turn: TurnView; onSeek: () => void }) {
  return (
    <div class="turn-detail">
      <table>
        <caption class="unseen">Steps of turn {turn.number}</caption>
        <tbody>
          <tr>
            <th scope="row">
              {turn.since === 'caller_stopped' ? "the caller's last sound" : 'the bot began by itself'}
            </th>
            <td class="number">0 ms</td>
            <td />
          </tr>
          {turn.steps.map(({ name, from, to }) => (
            <tr key={name}>
              <th scope="row">
                <span class={`swatch step-${name}`} /> {STEP_WORDS[name]}
              </th>
              <td class="number">{duration(to)}</td>
              <td class="number quiet">+{duration(to - from)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <button type="button" class="small" onClick={onSeek}>
          Go there in the recording
        </button>{' '}
        {turn.wasInterrupted && <span class="chip warn">interrupted</span>}
      </p>
    </div>
  );
}
