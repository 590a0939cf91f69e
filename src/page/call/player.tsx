import { useEffect, useMemo, useState } from 'preact/hooks';
import type { TimelineEvent } from '../../call/timeline.js';
import { transcriptOf } from '../../call/view/transcript.js';
import { clock } from '../parts/format.js';
import type { Playback } from './use-playback.js';
import { Waveform, type WaveformMark } from './waveform.js';

export interface PlayerProps {
  readonly playback: Playback;
  /** When the recording begins, milliseconds since the Unix epoch. */
  readonly base: number;
  readonly events: readonly TimelineEvent[];
  readonly isOver: boolean;
}

const RATES = [0.5, 0.75, 1, 1.25, 1.5, 2];
/** As wide as what fits, to so many times wider. */
const MOST_ZOOM = 64;

/** Plays the recording of a call. */
export function Player({ playback, base, events, isOver }: PlayerProps) {
  const [zoom, setZoom] = useState(1);
  const marks = useMemo(() => marksOf(events, base), [events, base]);
  useSpaceKey(playback.toggle);
  const { peaks, isPlaying, isLoading, isMissing, isUnanswered, rate, positionMs } = playback;
  if (!peaks || peaks.durationMs === 0) {
    return (
      <p class="panel quiet">
        {isMissing ? (
          <>
            There is no recording of this call. <code>npx voicebot run --record</code> keeps one.
          </>
        ) : isUnanswered ? (
          'The runner does not answer: the recording is shown when it does.'
        ) : (
          'Waiting for the recording …'
        )}
      </p>
    );
  }
  return (
    <section class="panel player" aria-label="Recording">
      <div class="controls">
        <button type="button" class="main play" aria-label={isPlaying ? 'Pause' : 'Play'} onClick={playback.toggle}>
          {isPlaying ? <PauseIcon /> : <PlayIcon />}
        </button>
        <span class="time">
          {clock(positionMs)} {isOver && <span class="quiet">/ {clock(peaks.durationMs)}</span>}
        </span>
        {!isOver && <span class="chip live">recording</span>}
        {isLoading && <span class="quiet">loading …</span>}
        {playback.problem && <span class="problem">{playback.problem}</span>}
        <label class="rate">
          <span class="quiet">Speed</span>
          <select
            aria-label="Speed"
            value={rate}
            onChange={({ currentTarget }) => playback.setRate(Number(currentTarget.value))}
          >
            {RATES.map((each) => (
              <option key={each} value={each}>
                {each}×
              </option>
            ))}
          </select>
        </label>
        <fieldset class="zoom">
          <legend class="unseen">Zoom</legend>
          <button type="button" aria-label="Zoom out" disabled={zoom === 1} onClick={() => setZoom(zoom / 2)}>
            −
          </button>
          <button type="button" aria-label="Zoom in" disabled={zoom >= MOST_ZOOM} onClick={() => setZoom(zoom * 2)}>
            +
          </button>
        </fieldset>
      </div>
      <Waveform playback={playback} marks={marks} zoom={zoom} />
    </section>
  );
}

/** Interruptions, tools and transfers stand above the sound. */
function marksOf(events: readonly TimelineEvent[], base: number): readonly WaveformMark[] {
  return transcriptOf(events).flatMap((item): WaveformMark[] => {
    if (item.kind === 'tool') return [{ ms: item.at - base, label: `tool ${item.name}`, tone: 'quiet' }];
    if (item.kind === 'transfer') return [{ ms: item.at - base, label: `transfer to ${item.to}`, tone: 'quiet' }];
    if (item.kind === 'keys') return [{ ms: item.at - base, label: `keys ${item.keys}`, tone: 'quiet' }];
    if (item.kind !== 'said' || !item.wasInterrupted) return [];
    return [{ ms: item.endedAt - base, label: 'the bot was interrupted', tone: 'bad' }];
  });
}

/** The space key plays and stops, wherever it means nothing else. */
function useSpaceKey(toggle: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== ' ' || event.target !== document.body) return;
      event.preventDefault();
      toggle();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [toggle]);
}

const PlayIcon = () => (
  <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d="M4 2.5v11l9-5.5z" fill="currentColor" />
  </svg>
);
const PauseIcon = () => (
  <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d="M4 2.5h3v11H4zm5 0h3v11H9z" fill="currentColor" />
  </svg>
);
