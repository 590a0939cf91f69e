import type { CallFolder } from '../../call/folder/read-call-folder.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { allOf } from '../../call/view/events.js';
import { durationOf } from '../scenario/fields.js';
import type { FaultOptions, FaultTiming } from '../scenario/scenario-options.js';
import type { BotSpeech } from './bot-speech.js';

/** A bot that fails by itself writes why, within so long before its process ends. */
const LAST_WORDS_MS = 2_000;
/** Of a tunnel whose return was not recorded. */
const BROKEN_MS = 5_000;

/** What broke in a recorded call from outside: killed bots and lost tunnels. A bot that failed by itself is no fault to plant. */
export function faultsOf({ events }: CallFolder, bot: BotSpeech, answeredAt: number, notes: string[]): FaultOptions[] {
  const timingOf = (at: number): FaultTiming => {
    const moment = bot.isHeardAt(at - 1) ? bot.momentOf(at - 1) : undefined;
    return moment ? { during: moment.during } : { after: durationOf(at - answeredAt) };
  };
  const faults: FaultOptions[] = [];
  for (const { at, outcome, bot: no } of allOf(events, 'bot_done')) {
    if (outcome !== 'lost' && outcome !== 'hung') continue;
    if (outcome === 'lost' && !saidWhy(events, at)) faults.push({ killBot: true, ...timingOf(at) });
    else notes.push(`Bot ${no} failed by itself: nothing is planted for that.`);
  }
  let reconnects = 0;
  for (const { at, record } of allOf(events, 'record')) {
    if ((record.reconnects ?? 0) <= reconnects) continue;
    reconnects = record.reconnects ?? 0;
    const lostAt = allOf(events, 'phase').findLast((one) => one.phase === 'between_streams' && one.at <= at)?.at ?? at;
    faults.push({ breakTunnel: durationOf(at > lostAt ? at - lostAt : BROKEN_MS), ...timingOf(lostAt) });
  }
  return faults;
}

const saidWhy = (events: readonly TimelineEvent[], at: number): boolean =>
  events.some(
    (one) =>
      one.type === 'output' && /error/i.test(one.line) && one.at > at - LAST_WORDS_MS && one.at <= at + LAST_WORDS_MS,
  );
