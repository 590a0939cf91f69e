import type { WireItem } from '../wire/wire-item.js';

/** What is later than the other by so much is told, in milliseconds: networks of telephones take their time, and machines are busy. */
export const TOLERANCE_MS = 3_000;
/** And frames of audio, in milliseconds between two of them. */
export const FRAME_TOLERANCE_MS = 15;
export const FRAMES = 'between two frames of audio';

type Test = (item: WireItem) => boolean;

const isStream = (direction: WireItem['direction'], name: RegExp): Test =>
  function fits(item) {
    return item.channel === 'stream' && item.direction === direction && name.test(item.name);
  };
const isWebhook =
  (name: RegExp): Test =>
  ({ channel, name: told }) =>
    channel === 'webhook' && name.test(told);
/** Our request to end a call. A call is changed with a `POST` too; what it is to end with is its new state. */
const asksToEnd: Test = ({ channel, direction, name, fields }) =>
  channel === 'rest' &&
  direction === 'out' &&
  (/^DELETE .*Call\/<id>/.test(name) || (/^POST .*Calls\/<id>/.test(name) && Object.hasOwn(fields, 'Status')));
const placesCall: Test = ({ channel, direction, name }) =>
  channel === 'rest' && direction === 'in' && /^POST .*Calls?(\.json|\/)? 20\d$/i.test(name);

/** What a provider does behind something, and how long after it. What waits for a person is none of it. */
const DELAYS: ReadonlyArray<{ readonly name: string; readonly from: Test; readonly to: Test }> = [
  {
    name: 'a media stream opens after its document',
    from: (item) => item.channel === 'document' && hasStream(item),
    to: isStream('in', /^open/),
  },
  {
    name: 'the first message comes after the media stream has opened',
    from: isStream('in', /^open/),
    to: isStream('in', /^(?!open|close)/),
  },
  {
    name: 'the next document is asked for after the media stream has closed',
    from: isStream('out', /^close/),
    to: isWebhook(/^\/resume/),
  },
  {
    name: 'the hang-up webhook comes after our request to hang up',
    from: asksToEnd,
    to: isWebhook(/^\/hangup hangup/),
  },
  {
    name: 'the webhook about ringing comes after the call was placed',
    from: placesCall,
    to: isWebhook(/^\/ring ring/),
  },
  {
    name: 'the document behind a transfer is asked for after its outcome',
    from: isWebhook(/^\/transfer-status dial other/),
    to: isWebhook(/^\/transfer-ended/),
  },
];

const hasStream = ({ fields }: WireItem) => Object.keys(fields).some((path) => /\bStream\b/.test(path));

/** How long a provider has taken, in milliseconds, the longest of each kind; what did not happen is missing. */
export function delaysOf(items: readonly WireItem[]): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { name, from, to } of DELAYS) {
    let since: number | undefined;
    for (const item of items) {
      if (from(item)) since = item.at;
      else if (since !== undefined && to(item)) {
        found[name] = Math.max(found[name] ?? 0, item.at - since);
        since = undefined;
      }
    }
  }
  const gap = usualGap(items);
  return gap === undefined ? found : { ...found, [FRAMES]: gap };
}

/** Enough frames for a median that a busy machine does not move. */
const LEAST_FRAMES = 25;

/** Of a frame, in milliseconds. */
const FRAME_MS = 20;

/** Of the first stream, in whole milliseconds: a busy machine hears frames in bursts, or a few late, and moves one of median and mean alone. */
function usualGap(items: readonly WireItem[]): number | undefined {
  const isFrame = ({ channel, direction, name, stream }: WireItem) =>
    channel === 'stream' && direction === 'in' && name === 'media' && stream === 1;
  const times = items.filter(isFrame).map(({ at }) => at);
  if (times.length < LEAST_FRAMES) return undefined;
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
  const median = gaps.sort((a, b) => a - b)[gaps.length >> 1] ?? FRAME_MS;
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  return Math.round(Math.abs(median - FRAME_MS) < Math.abs(mean - FRAME_MS) ? median : mean);
}
