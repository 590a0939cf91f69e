import { languageName } from '../language-name.js';
import type { TimelineEvent } from '../timeline.js';
import { doNotCallWords } from './do-not-call-words.js';
import { inOrder, inWords, type TimelineEventOf, textOf } from './events.js';
import { switchWords } from './services.js';
import { documentWords, phaseWords, type StepWords, webhookWords, wireWords } from './step-words.js';

/** Who sends and gets messages. */
export const PARTIES = ['provider', 'runner', 'bot'] as const;
export type LadderParty = (typeof PARTIES)[number];

/** A message, or what one party did by itself: then `to` is `from`. */
export interface LadderRow {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly from: LadderParty;
  readonly to: LadderParty;
  readonly label: string;
  /** What the wire or the runner calls it, where that is something else. */
  readonly name?: string;
  /** What is behind it, for a reader who wants to know: a document, a result. */
  readonly detail?: string | undefined;
  readonly isFailed?: boolean;
  /** So many of them in a row. */
  readonly count?: number;
}

/** What the parties of a call told each other, in the order of their times; the same message many times in a row is one row. */
export function ladderOf(events: readonly TimelineEvent[]): readonly LadderRow[] {
  const rows: LadderRow[] = [];
  for (const event of inOrder(events)) {
    for (const row of rowsOf(event)) {
      const same = REPEATED.has(row.name ?? '') ? findSame(rows, row) : -1;
      if (same === -1) rows.push(row);
      else rows[same] = { ...(rows[same] as LadderRow), count: (rows[same]?.count ?? 1) + 1 };
    }
  }
  return rows.toSorted((a, b) => a.at - b.at);
}

/** They come every second while the caller or the bot speaks. */
const REPEATED = new Set(['mark', 'media', 'ping', 'pong']);

/** Such messages go to and fro: of the rows at the end that are repeated ones, the one that goes the same way. */
function findSame(rows: readonly LadderRow[], { label, from, to }: LadderRow): number {
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index] as LadderRow;
    if (row.label === label && row.from === from && row.to === to) return index;
    if (!REPEATED.has(row.name ?? '')) return -1;
  }
  return -1;
}

function rowsOf(event: TimelineEvent): LadderRow[] {
  const row = (
    from: LadderParty,
    to: LadderParty,
    step: string | StepWords,
    rest: Partial<LadderRow> = {},
  ): LadderRow[] => [{ at: event.at, from, to, ...(typeof step === 'string' ? { label: step } : step), ...rest }];
  switch (event.type) {
    case 'webhook': {
      const isFailed = event.status >= 400;
      const detail = `answered with ${event.status} within ${inMs(event.ms)}`;
      return [
        {
          at: event.at - event.ms,
          from: 'provider',
          to: 'runner',
          ...webhookWords(event),
          detail,
          isFailed,
        },
      ];
    }
    case 'document':
      return row('runner', 'provider', documentWords(event.document), { detail: event.document });
    case 'request': {
      const { method, path, status, ms } = event;
      const answer = status === undefined ? 'no answer' : `${status}`;
      // Noted when it was answered: what it has caused may have come before.
      return row('runner', 'provider', `${method} ${path} → ${answer}`, {
        at: event.at - ms,
        detail: `took ${inMs(ms)}`,
        isFailed: status === undefined || status >= 400,
      });
    }
    case 'phase':
      return row('runner', 'runner', phaseWords(event.phase));
    case 'bot_assigned':
      return row('runner', 'bot', 'call given to a bot');
    case 'bot_done':
      return row('bot', 'runner', `bot ${event.outcome}`, { isFailed: event.outcome !== 'returned' });
    case 'wire':
      return event.direction === 'in'
        ? row('provider', 'bot', wireWords(event), { detail: event.detail })
        : row('bot', 'provider', wireWords(event), { detail: event.detail });
    case 'transfer_asked':
      return row('bot', 'runner', `transfer to ${event.to}`);
    case 'transfer_over':
      return row('runner', 'bot', `transfer: ${event.status.replaceAll('_', ' ')}`, {
        detail: event.detail,
        isFailed: event.status !== 'answered',
      });
    case 'model_asked':
      return row('bot', 'bot', `asks ${event.model}`, { detail: `${event.provider}, turn ${event.turn}` });
    case 'model_answered':
      return row('bot', 'bot', `model answered within ${inMs(event.ms)}`, modelDetail(event));
    case 'service':
      return row('bot', 'bot', `uses ${event.provider} for ${event.does.replaceAll('_', ' ')}`, {
        detail: event.model,
      });
    case 'service_switched':
      return row('bot', 'bot', switchWords(event), { detail: event.why, isFailed: true });
    case 'do_not_call':
      return row('runner', 'runner', doNotCallWords(event), { isFailed: event.outcome === 'failed' });
    case 'language_changed':
      return row('bot', 'bot', `${event.from ? 'goes on' : 'talks'} in ${languageName(event.language)}`);
    case 'voice_answered':
      return row('bot', 'bot', voiceName(event), { isFailed: event.outcome === 'failed' });
    case 'tool_called':
      return row('bot', 'bot', `tool ${event.name}`, { detail: textOf(event.input) });
    case 'tool_returned':
      return row('bot', 'bot', `tool ${event.name} returned within ${inMs(event.ms)}`, {
        detail: textOf(event.output),
        isFailed: event.isError,
      });
    case 'audio_gap':
      return row('bot', 'bot', `${inMs(event.ms)} of audio came too late`, { isFailed: true });
    case 'warning':
      return row('bot', 'bot', event.message, { detail: event.from, isFailed: true });
    default:
      return [];
  }
}

function voiceName({ outcome, ms, firstAudioMs }: TimelineEventOf<'voice_answered'>): string {
  if (outcome !== 'said') return `voice ${outcome} after ${inMs(ms)}`;
  return firstAudioMs === undefined ? 'voice gave no audio' : `voice gave first audio after ${inMs(firstAudioMs)}`;
}

function modelDetail(event: TimelineEventOf<'model_answered'>): Partial<LadderRow> {
  const { error, finishReason, inputTokens, outputTokens } = event;
  const tokens = inputTokens === undefined ? undefined : `${inputTokens} tokens in, ${outputTokens ?? '?'} out`;
  const detail = [error, finishReason, tokens].filter((part) => part !== undefined).join(', ');
  return { detail: detail || undefined, isFailed: error !== undefined };
}

const inMs = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : inWords(ms));
