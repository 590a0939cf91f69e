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
  const chosenRate = useRef(rate);
  /** How much of the recording the element has. */
  const loadedMs = useRef(0);
  /** A place that the element has not been told. */
  const wanted = useRef<number | undefined>(undefined);
  /** While the recording is on its way to the element. */
  const loading = useRef<{ readonly over: AbortController; readonly done: Promise<void> } | undefined>(undefined);

  const stopLoading = useCallback(() => {
    loading.current?.over.abort();
    loading.current = undefined;
    setLoading(false);
  }, []);
  /** Lets go what the element has. */
  const unload = useCallback(() => {
    stopLoading();
    audio.pause();
    release(audio);
    audio.removeAttribute('src');
    audio.load();
    loadedMs.current = 0;
  }, [audio, stopLoading]);

  useEffect(() => {
    const over = new AbortController();
    const on = (name: string, act: () => void) => audio.addEventListener(name, act, { signal: over.signal });
    on('play', () => setPlaying(true));
    const stopped = () => {
      setPlaying(false);
      setLoading(false);
    };
    on('pause', stopped);
    on('ended', stopped);
    on('playing', () => setLoading(false));
    on('error', () => {
      loadedMs.current = 0;
      audio.pause(); // for the element it still plays
      setProblem(UNPLAYABLE);
    });
    return () => {
      over.abort();
      unload();
      wanted.current = undefined;
    };
  }, [audio, unload]);

  const position = useCallback(() => wanted.current ?? audio.currentTime * 1_000, [audio]);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => setPosition(position()), POSITION_LOOK_MS);
    return () => clearInterval(timer);
  }, [isPlaying, position]);

  const durationMs = waveform.peaks?.durationMs ?? 0;
  const { isMissing } = waveform;
  /** Gets the whole recording, or so much of it as there is; once at a time. */
  const load = useCallback((): Promise<void> => {
    if (loading.current) return loading.current.done;
    const over = new AbortController();
    const get = async () => {
      const address = await recording.address(durationMs, over.signal);
      if (over.signal.aborted && address.startsWith('blob:')) URL.revokeObjectURL(address);
      over.signal.throwIfAborted();
      const at = position(); // a place may have been asked for meanwhile
      release(audio);
      audio.src = address;
      audio.load();
      audio.currentTime = at >= durationMs - 50 && isOver ? 0 : at / 1_000;
      wanted.current = undefined;
      loadedMs.current = durationMs;
    };
    setLoading(true);
    const done = get().finally(() => {
      if (loading.current?.over === over) loading.current = undefined;
    });
    loading.current = { over, done };
    return done;
  }, [audio, recording, durationMs, isOver, position]);

  const play = useCallback(() => {
    setProblem(undefined);
    const start = async () => {
      // A call that goes on has more to play than before.
      if (loadedMs.current < durationMs || wanted.current !== undefined) await load();
      audio.playbackRate = chosenRate.current;
      await audio.play();
    };
    start().catch((error: Error) => {
      setLoading(false);
      if (error.name !== 'AbortError') setProblem(UNPLAYABLE);
    });
  }, [audio, durationMs, load]);

  const toggle = useCallback(() => {
    if (!audio.paused || loading.current) {
      stopLoading();
      audio.pause();
    } else if (durationMs > 0) play();
  }, [audio, durationMs, play, stopLoading]);

  const seek = useCallback(
    (ms: number) => {
      if (isMissing) return;
      const to = Math.max(0, isOver && durationMs > 0 ? Math.min(ms, durationMs) : ms);
      const isThere = to <= loadedMs.current;
      if (isThere) audio.currentTime = to / 1_000;
      wanted.current = isThere ? undefined : to;
      setPosition(to);
      if (!isThere && !audio.paused) play();
    },
    [audio, durationMs, isMissing, isOver, play],
  );
  useEffect(() => {
    // What was asked for before the recording was known may be behind its end; what has been removed is heard no more.
    if (wanted.current !== undefined && isOver && durationMs > 0 && wanted.current > durationMs) seek(durationMs);
    if (!isMissing) return;
    unload();
    wanted.current = undefined;
    setPosition(0);
  }, [durationMs, isMissing, isOver, seek, unload]);

  const changeRate = useCallback(
    (next: number) => {
      setRate(next);
      chosenRate.current = next;
      audio.playbackRate = next;
    },
    [audio],
  );
  return { ...waveform, isPlaying, isLoading, problem, rate, position, positionMs, toggle, seek, setRate: changeRate };
}

const UNPLAYABLE = 'The recording cannot be played.';

const release = ({ src }: HTMLAudioElement): void => {
  if (src.startsWith('blob:')) URL.revokeObjectURL(src);
};

/** The waveform of a recording; it grows while the call goes on. */
function useWaveform(
  recording: RecordingSource,
  isOver: boolean,
): Pick<Playback, 'peaks' | 'isMissing' | 'isUnanswered' | 'refine'> {
  const [peaks, setPeaks] = useState<CallPeaks>();
  const [isMissing, setMissing] = useState(false);
  const [isUnanswered, setUnanswered] = useState(false);
  const [count, setCount] = useState(PIECES);
  const hasPeaks = useRef(false);
  useEffect(() => {
    hasPeaks.current = false;
    setPeaks(undefined);
    setMissing(false);
    setUnanswered(false);
  }, [recording]);
  useEffect(() => {
    const over = new AbortController();
    /** Answers in a row that there is none. */
    let missed = 0;
    const look = async () => {
      let hasFailed = false;
      try {
        const found = await recording.peaks(count, over.signal);
        if (over.signal.aborted) return;
        missed = 0;
        hasPeaks.current = true;
        setPeaks(found);
        setMissing(false);
      } catch (error) {
        if (over.signal.aborted) return;
        if (error instanceof NotThere) missed += 1;
        // A call whose runner has died has no runner for a moment: what was there is gone when it is missed twice.
        const isGone = hasPeaks.current ? missed > 1 : error instanceof NotThere || error instanceof Unshown;
        if (isGone) {
          hasPeaks.current = false;
          setPeaks(undefined);
          setMissing(true);
        } else hasFailed = !(error instanceof Locked);
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
