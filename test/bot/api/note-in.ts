import { runnerOf } from '../../../src/bot/api/open-transport.js';
import type { BotEntry } from '../../../src/call/timeline.js';
import type { RunnerArguments } from '../../../src/index.js';

/** Has what the bot of a call notes from now on stand in a list, too. */
export function noteIn(noted: BotEntry[], args: RunnerArguments): void {
  const timeline = runnerOf(args)?.timeline;
  const note = timeline?.note.bind(timeline);
  if (timeline)
    timeline.note = (entry, at) => {
      note?.(entry, at);
      noted.push(entry);
    };
}
