import { allOf } from '../../call/view/events.js';
import type { CallStory, Failure } from './call-story.js';
import { keysOf } from './received-keys.js';

/** Fewer characters are found anywhere. */
export const SHORTEST_SECRET = 3;
/** Of what is shown around the place, in characters. */
const EXCERPT = 80;

/** Of so many digits, a number has them by chance hardly ever. */
const RARE_DIGITS = 6;

/** Something that was written down in a call, and where. */
interface Written {
  /** `the log of the runner`, `a request to the model`. */
  readonly place: string;
  readonly text: string;
  /** Milliseconds since the Unix epoch. */
  readonly at?: number;
  /** Keys of different questions stand side by side in it. */
  readonly isKeys?: boolean;
}

/**
 * Looks for words that must not be kept: in what the runner and the bot have written, in everything noted of the call, in its record and the
 * text of its folder, and in what the model was asked. Digits are found with spaces and hyphens between them as well, with any marks where
 * each stands apart (`4, 7, 1, 1`), as keys that were pressed one after the other, among other keys that were pressed (`14711`), and one on
 * each of several lines that differ in nothing else.
 */
export function secretsFound(secrets: readonly string[], story: CallStory): Failure[] {
  const written = writtenIn(story);
  return secrets.flatMap((secret): Failure[] => {
    const pattern = patternOf(secret);
    const isIn = (text: string) => pattern.test(text) || isAmongKeys(secret, text, story.pressed ?? '');
    const found = [
      ...written.filter(({ text, isKeys }) => (isKeys ? text.includes(secret) : isIn(text))),
      ...(isCount(secret) ? [] : seriesIn(written).filter(({ text }) => text.includes(secret))),
    ];
    const [first] = found;
    if (!first) return [];
    const places = [...new Set(found.map(({ place }) => place))];
    const others = places.length === 1 ? '' : `; also in ${places.slice(1).join(', ')}`;
    return [
      {
        field: 'nowhere',
        expected: `"${secret}" nowhere`,
        happened: `it stands in ${first.place}: ${excerpt(first.text, pattern, secret)}${others}`,
        ...(first.at !== undefined && { atMs: first.at - (story.answeredAt ?? 0) }),
      },
    ];
  });
}

function patternOf(secret: string): RegExp {
  const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (!/^\d+$/.test(secret)) return new RegExp(escaped(secret), 'iu');
  if (secret.length >= RARE_DIGITS) return new RegExp([...secret].join('[\\s\\p{P}]*'), 'u');
  const [near, apart] = ['[\\s\u2010-\u2015-]*', '[\\s\\p{P}]+'].map((gap) => [...secret].join(gap));
  return new RegExp(`(?<!\\d)(?:${near}|${apart})(?!\\d)`, 'u');
}

/** Whether digits stand among other keys that were pressed before and behind them: `14711`. */
const isAmongKeys = (secret: string, text: string, pressed: string): boolean =>
  /^\d+$/.test(secret) &&
  (text.match(/\d+/g) ?? []).some((run) => run.length > secret.length && run.includes(secret) && pressed.includes(run));

/** Digits that lines have of themselves: a counter, or always the same one. */
const isCount = (secret: string): boolean =>
  !/^\d+$/.test(secret) ||
  [0, 1].some((step) => [...secret].every((digit, at) => +digit === +(secret[0] ?? 0) + step * at));

/** The single digits of lines that differ in nothing else but longer numbers, in order: `key 4`, `key 7`. */
function seriesIn(written: readonly Written[]): Written[] {
  const series = new Map<string, Written>();
  for (const { place, text } of written.filter(({ isKeys }) => !isKeys)) {
    const rest = text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+\.\d+|\d{2,}/gi, '…');
    const template = `${place}: ${rest.replace(/\d/g, '#')}`;
    [...rest.matchAll(/\d/g)].forEach(([digit], at) => {
      const before = series.get(`${template} ${at}`);
      series.set(`${template} ${at}`, { place: `${place}, a digit a line`, text: (before?.text ?? '') + digit });
    });
  }
  return [...series.values()];
}

function writtenIn({ events: told, record, questions, log, files }: CallStory): Written[] {
  const events = told.filter(({ unkept }) => !unkept);
  return [
    ...log.map((text) => ({ place: 'the log of the runner', text })),
    ...allOf(events, 'output').map(({ line, at }) => ({ place: 'what the bot has written', text: line, at })),
    ...allOf(events, 'said').map(({ speaker, text, unheard = '', at }) => ({
      place: `the transcript (${speaker})`,
      text: `${text} ${unheard}`,
      at,
    })),
    {
      place: 'the keys of the caller (record: { maskDigits: true } in defineBot masks them)',
      text: keysOf(events, 'in'),
      isKeys: true,
    },
    { place: 'the keys of the bot', text: keysOf(events, 'out'), isKeys: true },
    ...events
      .filter(({ type }) => !['output', 'said', 'keys', 'record'].includes(type))
      .map(({ at, source: _, ...event }) => ({
        place: `an event (${event.type})`,
        text: HAS_VALUES.has(event.type) ? JSON.stringify(event) : withoutMeasures(JSON.stringify(event)),
        at,
      })),
    { place: 'the record of the call', text: withoutMeasures(JSON.stringify(record) ?? '') },
    ...questions.flatMap(({ messages, at }) =>
      messages.map(({ role, text }) => ({ place: `a request to the model (${role})`, text, at })),
    ),
    ...files.map(({ name, text }) => ({ place: `${name} of the call's folder`, text: withoutMeasures(text) })),
  ];
}

/** Events whose numbers are those of a function or of a log line, and no times and lengths. */
const HAS_VALUES: ReadonlySet<string> = new Set(['tool_called', 'tool_returned', 'log']);

/** JSON without its numbers, which are times and lengths, and without identifiers: they have any digits. */
const withoutMeasures = (json: string): string =>
  json.replace(/(?<=[:,[])\s*-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?=\s*[,}\]])|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/gi, '');

function excerpt(text: string, pattern: RegExp, secret: string): string {
  const at = pattern.exec(text)?.index ?? Math.max(0, text.indexOf(secret));
  const from = Math.max(0, at - EXCERPT / 2);
  const part = text.slice(from, from + EXCERPT);
  return `${from > 0 ? '…' : ''}${part}${from + EXCERPT < text.length ? '…' : ''}`.replace(/\s+/g, ' ');
}
