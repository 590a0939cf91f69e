import { exceptionLines } from '../../base/exception/exception.js';
import type { TimelineEvent } from '../timeline.js';
import { doNotCallWords } from './do-not-call-words.js';
import { inOrder, textOf } from './events.js';
import { switchWords } from './services.js';

export interface LogLine {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly source: 'runner' | 'bot';
  readonly text: string;
}

/** What runner and bot have written about a call. */
export function logLinesOf(events: readonly TimelineEvent[]): readonly LogLine[] {
  return inOrder(events).flatMap((event) => {
    const written = lineOf(event);
    return written ? [{ at: event.at, source: event.source, ...written }] : [];
  });
}

function lineOf(event: TimelineEvent): (Pick<LogLine, 'level' | 'text'> & Partial<LogLine>) | undefined {
  switch (event.type) {
    case 'log': {
      const fields = Object.entries(event.fields ?? {}).map(([name, value]) => `${name}=${textOf(value)}`);
      return { level: event.level, text: [event.message, ...fields].join(' ') };
    }
    case 'output': {
      const { line, exception } = event;
      if (!exception) return { level: 'info', text: line, source: 'bot' };
      return { level: 'error', text: [line, ...exceptionLines(exception)].join('\n'), source: 'bot' };
    }
    case 'warning':
      return { level: 'warn', text: event.from ? `${event.from}: ${event.message}` : event.message };
    case 'service_switched':
      return { level: 'warn', text: `${switchWords(event)}: ${event.why}` };
    case 'do_not_call':
      return { level: event.outcome === 'failed' ? 'error' : 'info', text: doNotCallWords(event) };
    case 'audio_gap':
      return { level: 'warn', text: `${Math.round(event.ms)} ms of audio came too late, or not at all` };
    case 'speech_held':
      return {
        level: 'info',
        text: `the bot's speech was held for ${Math.round(event.ms)} ms and ${event.resumed ? 'went on' : 'was dropped'}`,
      };
    case 'notice_heard': {
      const what = event.notice === 'disclosure' ? 'a machine speaks' : 'the call is recorded';
      return { level: 'info', text: `the other party has heard that ${what} (${event.evidence}): ${event.text}` };
    }
    case 'recording':
      return {
        level: event.is === 'failed' ? 'error' : 'info',
        text: `recording ${event.is}${event.reason ? `: ${event.reason}` : ''}`,
      };
    default:
      return undefined;
  }
}
