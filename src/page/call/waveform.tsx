import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { clock, preciseClock } from '../parts/format.js';
import { drawWaveform } from './draw-waveform.js';
import type { Playback } from './use-playback.js';

/** Something worth seeing at a moment of the recording. */
export interface WaveformMark {
  /** Milliseconds from the start of the recording. */
  readonly ms: number;
  readonly label: string;
  readonly tone: 'quiet' | 'bad';
}

export interface WaveformProps {
  readonly playback: Playback;
  readonly marks: readonly WaveformMark[];
  /** How many times wider than what fits. */
  readonly zoom: number;
}

const HEIGHT = 168;
const SEEK_KEYS: Readonly<Record<string, number>> = {
  ArrowLeft: -5_000,
  ArrowRight: 5_000,
  ArrowDown: -1_000,
  ArrowUp: 1_000,
  PageDown: -30_000,
  PageUp: 30_000,
};

/** Both sides of the recording; a click or a key goes to a place in it. */
export function Waveform({ playback, marks, zoom }: WaveformProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const needle = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const { peaks, position, seek, isPlaying, positionMs } = playback;
  const durationMs = Math.max(1, peaks?.durationMs ?? 0);
  const inner = width * zoom;
  const msPerPixel = durationMs / Math.max(1, inner);
  useEffect(() => playback.refine(Math.min(MOST_PIECES, Math.round(inner * 2))), [inner, playback.refine]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const draw = useMemo(
    () => () => {
      if (!canvas.current || !scroller.current || width === 0) return;
      const fromMs = scroller.current.scrollLeft * msPerPixel;
      drawWaveform(canvas.current, peaks, { fromMs, msPerPixel, width, height: HEIGHT });
    },
    [peaks, msPerPixel, width],
  );
  useLayoutEffect(draw, [draw]);
  useEffect(() => {
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => scheme.removeEventListener('change', draw);
  }, [draw]);

  useLayoutEffect(() => {
    let frame = 0;
    const place = () => {
      const x = position() / msPerPixel;
      if (needle.current) needle.current.style.transform = `translateX(${x}px)`;
      const element = scroller.current;
      if (element && (x < element.scrollLeft || x > element.scrollLeft + width)) {
        element.scrollLeft = x - width / (isPlaying ? 10 : 2);
      }
      if (isPlaying) frame = requestAnimationFrame(place);
    };
    place();
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, position, positionMs, msPerPixel, width]);

  const seekTo = ({ clientX }: PointerEvent) => {
    const element = scroller.current;
    if (element) seek((clientX - element.getBoundingClientRect().left + element.scrollLeft) * msPerPixel);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = SEEK_KEYS[event.key];
    if (step !== undefined) seek(position() + step);
    else if (event.key === 'Home') seek(0);
    else if (event.key === 'End') seek(durationMs);
    else if (event.key === ' ') playback.toggle();
    else return;
    event.preventDefault();
  };
  return (
    <div class="waveform">
      <div class="sides" aria-hidden="true">
        <span class="caller">Caller</span>
        <span class="bot">Bot</span>
      </div>
      <div
        class="scroller"
        ref={scroller}
        onScroll={draw}
        role="slider"
        tabIndex={0}
        aria-label="Position in the recording"
        aria-valuemin={0}
        aria-valuemax={Math.round(durationMs / 1_000)}
        aria-valuenow={Math.round(positionMs / 1_000)}
        aria-valuetext={`${clock(positionMs)} of ${clock(durationMs)}`}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          seekTo(event);
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) seekTo(event);
        }}
      >
        <div class="inner" style={{ width: `${inner}px`, height: `${HEIGHT}px` }}>
          <canvas ref={canvas} style={{ width: `${width}px`, height: `${HEIGHT}px` }} />
          {marks.map(({ ms, label, tone }) => (
            <span
              key={`${ms} ${label}`}
              class={`mark ${tone}`}
              title={`${preciseClock(ms)} ${label}`}
              style={{ left: `${ms / msPerPixel}px` }}
            />
          ))}
          <div class="needle" ref={needle} />
        </div>
      </div>
    </div>
  );
}

const MOST_PIECES = 100_000;
