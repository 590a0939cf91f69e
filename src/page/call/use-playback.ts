import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { CallPeaks } from '../../call/call-peaks.js';
import type { RecordingSource } from '../link/recording-source.js';
import { Locked, NotThere, Unshown } from '../link/runner-link.js';

/** The recording of a call, and where in it we are. Times are milliseconds from its first sample. */
export interface Playback {
  /** Undefined while nothing is known of a recording. */
  readonly peaks: CallPeaks | undefined;
  /** The call has no recording. */
  readonly isMissing: boolean;
  /** The runner has not answered when it was asked for it last. */
  readonly isUnanswered: boolean;
  readonly isPlaying: boolean;
  readonly isLoading: boolean;
  readonly problem: string | undefined;
  readonly rate: number;
  /** Where it is now: read while it is drawn. */
  readonly position: () => number;
  /** The position, a few times a second while it plays. */
  readonly positionMs: number;
  readonly toggle: () => void;
  readonly seek: (ms: number) => void;
  readonly setRate: (rate: number) => void;
  /** Gets the waveform in at least so many pieces. */
  readonly refine: (count: number) => void;
}

const LIVE_LOOK_MS = 2_000;
const PIECES = 4_000;
/** The element tells its position four times a second by itself; words are highlighted more closely. */
const POSITION_LOOK_MS = 100;

export function usePlayback(recording: RecordingSource, isOver: boolean): Playback {
  const waveform = useWaveform(recording, isOver);
  const audio = useMemo(() => Object.assign(new Audio(), { preload: 'none' }), [recording]);
  const [isPlaying, setPlaying] = useState(false);
  const [isLoading, setLoading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [positionMs, setPosition] = useState(0);
  const [rate, setRate] = useState(1);
  /** How much of the recording the element has. */
  const loadedMs = useRef(0);
  /** Where to go when the element knows how long it is. */
  const wanted = useRef(0);

  useEffect(() => {
    const over = new AbortController();
    const on = (name: string, act: () => void) => audio.addEventListener(name, act, { signal: over.signal });
    on('play', () => setPlaying(true));
    on('pause', () => setPlaying(false));
    on('ended', () => setPlaying(false));
    on('playing', () => setLoading(false));
    on('error', () => {
      setPlaying(false);
      setLoading(false);
      setProblem('The recording cannot be played.');
    });
    return () => {
      over.abort();
      audio.pause();
      if (audio.src.startsWith('blob:')) URL.revokeObjectURL(audio.src);
      audio.removeAttribute('src');
      audio.load();
    };
  }, [audio]);

  const position = useCallback(() => (audio.readyState > 0 ? audio.currentTime * 1_000 : wanted.current), [audio]);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => setPosition(position()), POSITION_LOOK_MS);
    return () => clearInterval(timer);
  }, [isPlaying, position]);

  const durationMs = waveform.peaks?.durationMs ?? 0;
  const isKnown = waveform.peaks !== undefined;
  const seek = useCallback(
    (ms: number) => {
      const to = Math.max(0, isKnown ? Math.min(ms, durationMs) : ms);
      wanted.current = to;
      if (audio.readyState > 0) audio.currentTime = to / 1_000;
      setPosition(to);
    },
    [audio, durationMs, isKnown],
  );
  /** A place that was asked for before the recording was known may be behind its end. */
  useEffect(() => {
    if (isKnown && wanted.current > durationMs) seek(durationMs);
  }, [isKnown, durationMs, seek]);

  /** The whole recording, or so much of it as there is. */
  const load = useCallback(async () => {
    const at = position();
    wanted.current = at >= durationMs - 50 && isOver ? 0 : at;
    loadedMs.current = durationMs;
    setLoading(true);
    if (audio.src.startsWith('blob:')) URL.revokeObjectURL(audio.src);
    audio.src = await recording.address(durationMs);
    audio.load();
    audio.currentTime = wanted.current / 1_000;
  }, [audio, recording, durationMs, isOver, position]);

  const toggle = useCallback(() => {
    if (!audio.paused) return audio.pause();
    setProblem(undefined);
    const start = async () => {
      // A call that goes on has more to play than before.
      if (loadedMs.current < durationMs) await load();
      audio.playbackRate = rate;
      await audio.play();
    };
    start().catch((error: Error) => {
      setLoading(false);
      if (error.name !== 'AbortError') setProblem('The recording cannot be played.');
    });
  }, [audio, durationMs, load, rate]);

  const changeRate = useCallback(
    (next: number) => {
      setRate(next);
      audio.playbackRate = next;
    },
    [audio],
  );
  return { ...waveform, isPlaying, isLoading, problem, rate, position, positionMs, toggle, seek, setRate: changeRate };
}

/** The waveform of a recording; it grows while the call goes on. */
function useWaveform(
  recording: RecordingSource,
  isOver: boolean,
): Pick<Playback, 'peaks' | 'isMissing' | 'isUnanswered' | 'refine'> {
  const [peaks, setPeaks] = useState<CallPeaks>();
  const [isMissing, setMissing] = useState(false);
  const [isUnanswered, setUnanswered] = useState(false);
  const [count, setCount] = useState(PIECES);
  useEffect(() => {
    const over = new AbortController();
    const look = async () => {
      let hasFailed = false;
      try {
        setPeaks(await recording.peaks(count, over.signal));
        setMissing(false);
      } catch (error) {
        if (over.signal.aborted) return;
        if (error instanceof NotThere || error instanceof Unshown) setMissing(true);
        else hasFailed = !(error instanceof Locked);
      }
      setUnanswered(hasFailed);
      if ((!isOver || hasFailed) && !over.signal.aborted) timer = setTimeout(look, LIVE_LOOK_MS);
    };
    let timer = setTimeout(look, 0);
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [recording, isOver, count]);
  const refine = useCallback((wanted: number) => setCount((now) => Math.max(now, wanted)), []);
  return { peaks, isMissing, isUnanswered, refine };
}
