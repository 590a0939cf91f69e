import { useMemo } from 'preact/hooks';
import type { TimelineEvent } from '../../call/timeline.js';
import { type TalkFigures, talkFigures } from '../../call/view/talk-figures.js';
import { momentsToTell, momentWords, SOURCE_WORDS, talkRows } from '../../call/view/talk-words.js';
import { preciseClock } from '../parts/format.js';
import { Fact } from '../parts/parts.js';

export interface TalkProps {
  readonly events: readonly TimelineEvent[];
  readonly base: number;
  /** How well the two sides got on, where more is known than the events tell. */
  readonly figures: TalkFigures | undefined;
  /** Goes to a place in the recording. */
  readonly onSeek: (ms: number) => void;
}

/** How well the two sides got on: the figures, and when each of them happened. */
export function Talk({ events, base, figures: known, onSeek }: TalkProps) {
  const figures = useMemo(() => known ?? talkFigures(events), [known, events]);
  const moments = useMemo(() => momentsToTell(figures), [figures]);
  if (!figures.callerSpoke || !figures.botSpoke)
    return <p class="quiet">The caller and the bot have not both been heard.</p>;
  return (
    <>
      <p class="quiet">Measured {SOURCE_WORDS[figures.by]}.</p>
      <dl class="facts">
        {talkRows(figures).map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </dl>
      {moments.length > 0 && (
        <ol class="talk">
          {moments.map((moment) => (
            <li key={`${moment.figure} ${moment.at}`}>
              <button type="button" class="small" onClick={() => onSeek(moment.at - base)}>
                <span class="unseen">Go to </span>
                {preciseClock(moment.at - base)}
              </button>
              <span>{momentWords(moment)}</span>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
