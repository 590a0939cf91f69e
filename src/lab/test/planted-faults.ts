import type { TimelineEvent } from '../../call/timeline.js';
import { BotTalk } from '../scenario/bot-talk.js';
import type { Failure } from '../scenario/call-story.js';
import type { Fault } from '../scenario/scenario-schema.js';

/** How soon faults look whether their time has come, in milliseconds. */
const LOOK_MS = 20;

/** What breaks when it is told to. */
export interface Breakable {
  /** @returns whether there was a bot */
  killBot(): boolean;
  breakTunnel(ms: number): void;
  breakApi(ms: number): void;
}

interface PlantedFault {
  readonly fault: Fault;
  readonly place: string;
  /** Words that one waits for are looked for in each by itself. */
  readonly talk: BotTalk;
  state: 'waiting' | 'done' | 'had_no_bot';
}

/** The faults of one call: each comes when its time or its words have come. */
export class PlantedFaults {
  /** When bots were killed, milliseconds since the Unix epoch. */
  readonly killedAt: number[] = [];
  readonly #planted: readonly PlantedFault[];

  constructor(
    faults: readonly Fault[],
    private readonly breaks: Breakable,
  ) {
    this.#planted = faults.map((fault, at) => ({
      fault,
      place: `faults[${at}]`,
      talk: new BotTalk(),
      state: 'waiting' as const,
    }));
  }

  note(event: TimelineEvent): void {
    for (const { talk } of this.#planted) talk.note(event);
  }

  /** The call is answered: from now on times count. @param signal aborted when it is over */
  start(signal: AbortSignal): void {
    const answeredAt = Date.now();
    for (const planted of this.#planted) {
      const timer = setInterval(() => {
        if (!this.#isTime(planted, answeredAt)) return;
        clearInterval(timer);
        this.#break(planted);
      }, LOOK_MS);
      signal.addEventListener('abort', () => clearInterval(timer), { once: true });
    }
  }

  /** Those that never came, in a call that is over: it has shown nothing of them. @param end such as `the call had ended (bot_ended)` */
  unfired(end: string, lengthMs: number): Failure[] {
    return this.#planted.flatMap(({ fault, place, state }): Failure[] => {
      const { during, after = 0 } = fault;
      const field = `${place}.${NAMES[fault.kind]}`;
      if (state === 'had_no_bot')
        return [{ field, expected: 'a bot that is killed', happened: 'no bot had the call at that time' }];
      if (state === 'done') return [];
      return during
        ? [
            {
              field,
              expected: `during ${during}`,
              happened: `it never came: the bot did not say that; ${end}`,
              atMs: lengthMs,
            },
          ]
        : [{ field, expected: `after ${after / 1_000} s`, happened: `it never came: ${end}`, atMs: lengthMs }];
    });
  }

  #isTime({ fault, talk }: PlantedFault, answeredAt: number): boolean {
    return fault.during ? talk.isSaying(fault.during, Date.now()) : Date.now() - answeredAt >= (fault.after ?? 0);
  }

  #break(planted: PlantedFault): void {
    const { fault } = planted;
    planted.state = 'done';
    if (fault.kind === 'break_tunnel') this.breaks.breakTunnel(fault.forMs);
    else if (fault.kind === 'break_api') this.breaks.breakApi(fault.forMs);
    else if (this.breaks.killBot()) this.killedAt.push(Date.now());
    else planted.state = 'had_no_bot';
  }
}

const NAMES: Readonly<Record<Fault['kind'], string>> = {
  kill_bot: 'killBot',
  break_tunnel: 'breakTunnel',
  break_api: 'breakApi',
};
