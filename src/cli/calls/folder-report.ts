import type { CallFolder } from '../../call/folder/read-call-folder.js';
import type { TranscriptEntry } from '../../call/folder/transcript.js';
import { languageName } from '../../call/language-name.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { lineOf } from '../../call/turn-report.js';
import { lineHeardIn } from '../../call/view/events.js';
import { switchWords } from '../../call/view/services.js';
import type { TalkFigures } from '../../call/view/talk-figures.js';
import { momentsToTell, momentWords, SOURCE_WORDS, talkRows } from '../../call/view/talk-words.js';
import { transcriptOf } from '../../call/view/transcript.js';

/** A line of a report, at its time: milliseconds since the beginning of the recording. */
interface TimedLine {
  readonly ms: number;
  readonly text: string;
}

/**
 * What the folder of a call tells, in sections: a heading and its lines.
 * @param figures those of the folder
 * @param callStartedAt what times count from where nothing was recorded, milliseconds since the Unix epoch
 */
export function folderReport(folder: CallFolder, figures: TalkFigures, callStartedAt: number): string[] {
  const { path, events, missing } = folder;
  const origin = folder.audio?.startedAt ?? callStartedAt;
  const told = (textOf: (event: TimelineEvent) => string | undefined): TimedLine[] =>
    events.flatMap((event) => {
      const text = textOf(event);
      return text === undefined ? [] : [{ ms: event.at - origin, text }];
    });
  const sections: ReadonlyArray<readonly [heading: string, lines: readonly string[]]> = [
    ['Transcript', timed(inTranscript(folder, origin))],
    ['Turns', timed(told((event) => (event.type === 'turn_ended' ? lineOf(event) : undefined)))],
    ['Talk', talkLines(figures, origin)],
    ['Tools', timed(told((event) => toolLine(event, events)))],
    ['Transfers', timed(told(transferLine))],
    ['Warnings', timed(told(warningLine))],
    ['Missing', missing.map((sentence) => `  ${sentence}`)],
    ['Folder', [`  ${path}`]],
  ];
  return sections.flatMap(([heading, lines]) => (lines.length === 0 ? [] : ['', heading, ...lines]));
}

/** What was said, pressed and played, in the order in which it began. */
const inTranscript = ({ transcript, events }: CallFolder, origin: number): TimedLine[] =>
  [
    ...transcript.map(spoken),
    ...pressed(events, origin),
    ...linesHeard(events, origin),
    ...changes(events, origin),
  ].toSorted((a, b) => a.ms - b.ms);

/** How well the two sides got on, where both were heard. */
function talkLines(figures: TalkFigures, origin: number): string[] {
  const { by, callerSpoke, botSpoke } = figures;
  if (!callerSpoke || !botSpoke) return [];
  const told = momentsToTell(figures).map((moment) => ({ ms: moment.at - origin, text: momentWords(moment) }));
  const rows = talkRows(figures).map(([name, value]) => `${name} ${value}`);
  return [`  ${rows.join(', ')}; ${SOURCE_WORDS[by]}`, ...timed(told)];
}

const timed = (lines: readonly TimedLine[]) => lines.map(({ ms, text }) => `  ${clock(ms).padStart(7)}  ${text}`);

/** `1:02.3` */
function clock(ms: number): string {
  const tenths = Math.max(0, Math.round(ms / 100));
  const seconds = ((tenths % 600) / 10).toFixed(1).padStart(4, '0');
  return `${Math.floor(tenths / 600)}:${seconds}`;
}

function spoken({ speaker, startMs, text, unheard, wasInterrupted, typed }: TranscriptEntry): TimedLine {
  const marks = [...(wasInterrupted ? ['(interrupted)'] : []), ...(typed ? ['(typed)'] : [])];
  const words = [text, ...(unheard ? [`[${unheard}]`] : []), ...marks];
  return { ms: startMs, text: `${speaker.padEnd(6)}  ${words.filter(Boolean).join(' ')}` };
}

/** The keys of both sides, where they stand in what was said. */
const pressed = (events: readonly TimelineEvent[], origin: number): TimedLine[] =>
  transcriptOf(events).flatMap((item) =>
    item.kind === 'keys'
      ? [
          {
            ms: item.at - origin,
            text: `${(item.direction === 'in' ? 'caller' : 'bot').padEnd(6)}  pressed ${item.keys}`,
          },
        ]
      : [],
  );

/** Recorded lines that the caller has heard. */
const linesHeard = (events: readonly TimelineEvent[], origin: number): TimedLine[] =>
  events.flatMap((event) => {
    const line = lineHeardIn(event);
    return line
      ? [{ ms: line.at - origin, text: `${'bot'.padEnd(6)}  the ${line.name}${line.text ? `: ${line.text}` : ''}` }]
      : [];
  });

/** The languages that the call went on in. */
const changes = (events: readonly TimelineEvent[], origin: number): TimedLine[] =>
  events.flatMap((event) =>
    event.type === 'language_changed' && event.from
      ? [{ ms: event.at - origin, text: `${'bot'.padEnd(6)}  goes on in ${languageName(event.language)}` }]
      : [],
  );

/** Where the function was called, with what it has returned. */
function toolLine(event: TimelineEvent, events: readonly TimelineEvent[]): string | undefined {
  if (event.type !== 'tool_called') return undefined;
  const called = `${event.name}(${JSON.stringify(event.input) ?? '…'})`;
  const returned = events.find((other) => other.type === 'tool_returned' && other.call === event.call);
  if (returned?.type !== 'tool_returned') return `${called} has not returned`;
  const { isError, output, ms } = returned;
  return `${called} ${isError ? 'failed with' : 'returned'} ${JSON.stringify(output) ?? '…'} after ${Math.round(ms)} ms`;
}

function transferLine(event: TimelineEvent): string | undefined {
  if (event.type === 'transfer_asked') return `to ${event.to} asked for`;
  if (event.type !== 'transfer_over') return undefined;
  return `to ${event.to}: ${event.status}${event.detail ? ` (${event.detail})` : ''}`;
}

function warningLine(event: TimelineEvent): string | undefined {
  if (event.type === 'warning') return event.message;
  if (event.type === 'service_switched') return `${switchWords(event)}: ${event.why}`;
  if (event.type === 'audio_gap') return `the bot's audio was missing for ${Math.round(event.ms)} ms`;
  return event.type === 'log' && (event.level === 'warn' || event.level === 'error') ? event.message : undefined;
}
