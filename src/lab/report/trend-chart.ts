import { type Html, html } from './html.js';

/** A value of one test. */
export interface TrendPoint {
  readonly label: string;
  readonly value: number | undefined;
}

export interface TrendLine {
  readonly points: readonly TrendPoint[];
  /** Not the one that matters most. */
  readonly isFaint?: boolean;
}

const [WIDTH, HEIGHT] = [300, 80];

/** How a value has changed from test to test, the oldest at the left, over a scale from 0. @param top the largest value of the scale */
export function trendChart(lines: readonly TrendLine[], top: number, description: string): Html {
  const count = Math.max(...lines.map(({ points }) => points.length), 2);
  const x = (at: number) => round((at * WIDTH) / (count - 1));
  const y = (value: number) => round(HEIGHT - (Math.min(value, top) / (top || 1)) * HEIGHT);
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${description}">
<path class="axis" d="M0 ${HEIGHT}H${WIDTH}" vector-effect="non-scaling-stroke" />
${lines.map(
  ({ points, isFaint = false }) => html`<path class="line ${isFaint ? 'worst' : ''}" d="${pathOf(points, x, y)}" />
${isFaint ? [] : points.flatMap((point, at) => (point.value === undefined ? [] : [dot(x(at), y(point.value), point.label)]))}`,
)}</svg>`;
}

/** A stroke without length has the same shape however the chart is stretched. */
const dot = (x: number, y: number, label: string): Html =>
  html`<path class="dot" d="M${x} ${y}h0" vector-effect="non-scaling-stroke"><title>${label}</title></path>`;

/** Broken where a test has no value. */
function pathOf(points: readonly TrendPoint[], x: (at: number) => number, y: (value: number) => number): string {
  let isOpen = false;
  return points
    .map(({ value }, at) => {
      const command = value === undefined ? '' : `${isOpen ? 'L' : 'M'}${x(at)} ${y(value)}`;
      isOpen = value !== undefined;
      return command;
    })
    .join('');
}

const round = (value: number): number => Math.round(value * 10) / 10;
