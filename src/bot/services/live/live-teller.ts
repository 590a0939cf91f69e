import type { ContextPart } from '../../conversation/context-entry.js';
import { note } from '../llm/model-messages.js';
import type { LiveAnswer } from './live-answer.js';
import type { LiveLink } from './live-link.js';
import { LiveMemory } from './live-memory.js';
import { type LiveManner, resultText } from './manner.js';
import { sayInstructions } from './manners.js';

/** Keeps what a session remembers like what the conversation shows: tells it what it does not know, and takes back what was not heard. */
export class LiveTeller {
  readonly memory = new LiveMemory();
  /** What it must know and the conversation does not show. */
  #notes: string[] = [];

  constructor(
    private readonly manner: LiveManner,
    private readonly link: LiveLink,
  ) {}

  /** There is another session. */
  clear(): void {
    this.memory.clear();
    this.#notes = [];
  }

  /** @param asides told with the rest, and kept nowhere @returns whether it was given results of functions */
  tell(parts: readonly ContextPart[], ...asides: ReadonlyArray<string | undefined>): boolean {
    const { manner, link } = this;
    const { entries, forgotten } = this.memory.takeNews(parts);
    for (const id of forgotten) link.sendRaw(manner.forget?.(id));
    for (const entry of entries) {
      if (entry.type === 'text') link.sendRaw(manner.text(entry.role, entry.text, entry.id));
      else {
        const { callId, result } = entry;
        const item = { type: 'function-call-output', callId, name: result.name, output: resultText(result) } as const;
        link.send({ type: 'conversation-item-create', item });
      }
    }
    for (const one of [...this.#notes.splice(0), ...asides]) if (one) link.sendRaw(manner.text('user', note(one)));
    return entries.some(({ type }) => type === 'result');
  }

  /** Has a text said word for word. */
  say(text: string): void {
    if (this.manner.say) this.link.sendRaw(this.manner.say(text));
    else this.link.send({ type: 'response-create', options: { instructions: sayInstructions(text) } });
  }

  /** Nothing more comes of an answer that is not wanted: the session remembers as little as the caller hears, and nothing where none of it was passed on. */
  cutUnheard(answer: LiveAnswer): void {
    if (!answer.isPassedOn) answer.heardMs = 0;
    if (answer.heardMs !== undefined) this.cut(answer, '');
  }

  /** The caller has heard no more of an answer than is noted in it; told again only where more of it has come since. @param text the words of that */
  cut(answer: LiveAnswer, text: string): void {
    const { heardMs = 0, cut } = answer;
    if (!this.manner.truncates) {
      if (cut.size > 0) return;
      cut.set('', heardMs);
      const heard = text ? `only: ${text}` : 'nothing';
      this.#notes.push(`The caller spoke over you. Of your last answer they heard ${heard}`);
      return;
    }
    let leftMs = heardMs;
    for (const [itemId, ms] of answer.items) {
      const audioEndMs = Math.max(0, Math.min(Math.floor(ms), Math.round(leftMs)));
      leftMs -= ms;
      if (cut.get(itemId) === ms || (audioEndMs === Math.floor(ms) && answer.isOver)) continue;
      cut.set(itemId, ms);
      this.link.send({ type: 'conversation-item-truncate', itemId, contentIndex: 0, audioEndMs });
    }
  }
}
