import type { TimelineEntry, TimelineEvent } from '../../../src/call/timeline.js';
import { levelsOf } from '../../../src/call/view/heard-sounds.js';
import { type TalkFigures, talkFigures } from '../../../src/call/view/talk-figures.js';
import { audioOf } from '../../lab/scenario/stories.js';

/** When the made-up talks begin, milliseconds since the Unix epoch. */
export const TALK_AT = 1_000_000;

/** A made-up talk: tones for its recording, and events as a bot would have noted them. Times are milliseconds from its beginning. */
export class MadeTalk {
  readonly events: TimelineEvent[] = [];
  readonly caller: Array<[number, number]> = [];
  readonly bot: Array<[number, number]> = [];

  constructor(readonly lengthMs: number) {}

  note(ms: number, entry: TimelineEntry): this {
    this.events.push({ ...entry, at: TALK_AT + ms, source: 'bot', bot: 1 });
    return this;
  }

  /** The caller is heard. @param text what is understood, 200 ms later; undefined: nothing */
  says(from: number, to: number, text?: string, knownAt = to + 200): this {
    this.caller.push([from, to]);
    this.note(from, { type: 'speech_started', speaker: 'caller' });
    this.note(to, { type: 'speech_stopped', speaker: 'caller' });
    return text === undefined ? this : this.note(knownAt, { type: 'said', speaker: 'caller', text });
  }

  /** The bot is heard. @param unheard what it would have said on, where it was interrupted */
  answers(from: number, to: number, text: string, unheard?: string): this {
    const wasInterrupted = unheard !== undefined;
    this.bot.push([from, to]);
    this.note(from, { type: 'speech_started', speaker: 'bot' });
    this.note(to, { type: 'speech_stopped', speaker: 'bot', heardMs: to - from, wasInterrupted });
    return this.note(to, {
      type: 'said',
      speaker: 'bot',
      text,
      startedAt: TALK_AT + from,
      ...(wasInterrupted && { unheard }),
      wasInterrupted,
    });
  }

  /** What the bot says from one time to another is silent, since it is held. */
  held(from: number, to: number, resumed: boolean): this {
    const at = this.bot.findIndex(([begin, end]) => begin < from && end >= to);
    const [begin = 0, end = 0] = this.bot[at] ?? [];
    this.bot.splice(at, 1, [begin, from], ...(end > to ? [[to, end] as [number, number]] : []));
    return this.note(to, { type: 'speech_held', ms: to - from, resumed });
  }

  ends(): this {
    return this.note(this.lengthMs, { type: 'wire', direction: 'in', name: 'stop' });
  }

  /** Both ways of computing: by the recording and by the events. */
  figures(): { readonly sound: TalkFigures; readonly events: TalkFigures } {
    const levels = {
      startedAt: TALK_AT,
      caller: levelsOf(audioOf(this.lengthMs, ...this.caller), 8_000),
      bot: levelsOf(audioOf(this.lengthMs, ...this.bot), 8_000),
    };
    this.ends();
    return { sound: talkFigures(this.events, levels), events: talkFigures(this.events) };
  }
}
