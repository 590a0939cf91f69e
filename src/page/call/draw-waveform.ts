import type { CallPeaks } from '../../call/call-peaks.js';
import { clock, preciseClock } from '../parts/format.js';

/** What of a recording is drawn, and where. Sizes are CSS pixels. */
export interface WaveformView {
  /** Milliseconds at the left edge. */
  readonly fromMs: number;
  readonly msPerPixel: number;
  readonly width: number;
  readonly height: number;
}

interface Colours {
  readonly caller: string;
  readonly bot: string;
  readonly line: string;
  readonly quiet: string;
}

const RULER_HEIGHT = 18;
/** Distances of the marks of the ruler, in seconds. */
const RULER_STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_200];
const RULER_MARK_WIDTH = 72;

/** Draws both sides of a recording, the caller above the bot, and a ruler of time. */
export function drawWaveform(canvas: HTMLCanvasElement, peaks: CallPeaks | undefined, view: WaveformView): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const { width, height } = view;
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(`--${name}`);
  const colours = { caller: colour('caller'), bot: colour('bot'), line: colour('line'), quiet: colour('quiet') };
  drawRuler(context, view, colours);
  const half = (height - RULER_HEIGHT) / 2;
  drawSide(context, peaks, 'left', view, { middle: RULER_HEIGHT + half / 2, half: half / 2 - 2, colours });
  drawSide(context, peaks, 'right', view, { middle: RULER_HEIGHT + half * 1.5, half: half / 2 - 2, colours });
}

interface SidePlace {
  readonly middle: number;
  readonly half: number;
  readonly colours: Colours;
}

function drawSide(
  context: CanvasRenderingContext2D,
  peaks: CallPeaks | undefined,
  side: 'left' | 'right',
  view: WaveformView,
  { middle, half, colours }: SidePlace,
): void {
  context.fillStyle = colours.line;
  context.fillRect(0, middle, view.width, 1);
  if (!peaks || peaks.durationMs === 0) return;
  const values = peaks[side];
  const perMs = values.length / 2 / peaks.durationMs;
  context.fillStyle = side === 'left' ? colours.caller : colours.bot;
  for (let x = 0; x < view.width; x++) {
    const from = Math.floor((view.fromMs + x * view.msPerPixel) * perMs);
    const to = Math.max(from + 1, Math.floor((view.fromMs + (x + 1) * view.msPerPixel) * perMs));
    let [low, high] = [0, 0];
    for (let piece = Math.max(0, from); piece < to && piece * 2 < values.length; piece++) {
      low = Math.min(low, values[piece * 2] as number);
      high = Math.max(high, values[piece * 2 + 1] as number);
    }
    // Telephone speech is quiet: the square root shows it, and silence stays a line.
    const up = Math.sqrt(high) * half;
    const down = Math.sqrt(-low) * half;
    if (up + down > 0.5) context.fillRect(x, middle - up, 1, up + down);
  }
}

function drawRuler(context: CanvasRenderingContext2D, view: WaveformView, colours: Colours): void {
  const step = RULER_STEPS.find((seconds) => (seconds * 1_000) / view.msPerPixel >= RULER_MARK_WIDTH) ?? 3_600;
  const stepMs = step * 1_000;
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  for (let ms = Math.ceil(view.fromMs / stepMs) * stepMs; ; ms += stepMs) {
    const x = (ms - view.fromMs) / view.msPerPixel;
    if (x > view.width) return;
    context.fillStyle = colours.line;
    context.fillRect(x, 0, 1, view.height);
    context.fillStyle = colours.quiet;
    const text = step < 1 ? preciseClock(ms) : clock(ms);
    if (x + context.measureText(text).width + 6 < view.width) context.fillText(text, x + 4, RULER_HEIGHT / 2);
  }
}
