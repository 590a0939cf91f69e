import { settlesWithin } from '../../base/async/deadline.js';
import { type Deferred, deferred } from '../../base/async/deferred.js';
import type { CallId } from '../../call/call-id.js';
import { folderFigures } from '../../call/folder/folder-figures.js';
import type { CallFolder } from '../../call/folder/read-call-folder.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { inOrder } from '../../call/view/events.js';
import type { KeptCall } from '../../call/view/kept-call.js';
import { SETTLE_LIMIT_MS } from '../bots/messages.js';
import type { CallRegistry } from '../calls/life/call-registry.js';
import type { EventSubscriber } from './event-subscriber.js';
import type { KeptCalls } from './kept-calls.js';

/** Events that are sent before the subscriber has to read. */
const AT_ONCE = 100;
/** How long after its end a call's bots may go on noting, in milliseconds: they have a time to settle, and then to tell. */
const LAST_NOTES_MS = SETTLE_LIMIT_MS + 2_000;

export interface CallFeedOptions {
  readonly registry: CallRegistry;
  readonly kept: KeptCalls;
}

/**
 * Tells one who follows a call all that has happened in it, and then what happens: an event `call` with its record, `kept` with what
 * is kept of it beside its events, each event of its timeline, and `end` when nothing more will come.
 * @param folder what is kept of the call so far
 */
export async function tellCall(
  subscriber: EventSubscriber,
  id: CallId,
  folder: CallFolder | undefined,
  { registry, kept }: CallFeedOptions,
): Promise<void> {
  const { timelines } = registry;
  const news = new News();
  const hear = (callId: CallId, event: TimelineEvent) => {
    if (callId === id) news.add(event);
  };
  timelines.on('event', hear);
  subscriber.gone.addEventListener('abort', () => news.wake(), { once: true });
  try {
    subscriber.send(registry.get(id) ?? folder?.record, { event: 'call' });
    if (folder) subscriber.send(await keptOf(folder), { event: 'kept' });
    const teller = new EventTeller(subscriber);
    // The runner forgets the first events of a long call, which its folder keeps; it knows the last ones before the disk does.
    for (const event of inOrder([...(folder?.events ?? []), ...timelines.of(id)])) await teller.tell(event);
    const isGoingOn = timeLeft(id, registry, teller.liveBots) > 0;
    while (!subscriber.gone.aborted) {
      for (const event of news.take()) await teller.tell(event);
      const leftMs = timeLeft(id, registry, teller.liveBots);
      if (leftMs <= 0) break;
      await news.within(leftMs);
    }
    const last = isGoingOn ? await kept.read(id) : undefined;
    if (last) subscriber.send(await keptOf(last), { event: 'kept' });
    subscriber.send({}, { event: 'end' });
    subscriber.end();
  } finally {
    timelines.off('event', hear);
  }
}

/** How long events may still come, in milliseconds; `Infinity` while the call goes on. */
function timeLeft(id: CallId, registry: CallRegistry, liveBots: number): number {
  const record = registry.get(id);
  if (!record) return 0;
  if (record.endedAt === undefined) return Number.POSITIVE_INFINITY;
  return liveBots <= 0 ? 0 : record.endedAt + LAST_NOTES_MS - Date.now();
}

/** Sends events, each once, no faster than they are read. */
class EventTeller {
  /** Bots that were given the call and are not done. */
  liveBots = 0;
  readonly #told = new Set<string>();

  constructor(private readonly subscriber: EventSubscriber) {}

  async tell(event: TimelineEvent): Promise<void> {
    const { at, source, bot, type } = event as TimelineEvent & { bot?: number };
    const name = `${at} ${source} ${bot} ${type}`;
    if (this.#told.has(name)) return;
    this.#told.add(name);
    if (type === 'bot_assigned') this.liveBots += 1;
    if (type === 'bot_done') this.liveBots -= 1;
    this.subscriber.send(event, { id: this.#told.size });
    if (this.#told.size % AT_ONCE === 0) await this.subscriber.read();
  }
}

/** Events that have come in the meantime. */
class News {
  #events: TimelineEvent[] = [];
  #waiting: Deferred<void> | undefined;

  add(event: TimelineEvent): void {
    this.#events.push(event);
    this.wake();
  }

  wake(): void {
    this.#waiting?.resolve();
  }

  take(): TimelineEvent[] {
    return this.#events.splice(0);
  }

  /** Resolves when there are some, and when it is woken; at the latest after so many milliseconds. */
  async within(ms: number): Promise<void> {
    if (this.#events.length > 0) return;
    this.#waiting = deferred();
    if (ms === Number.POSITIVE_INFINITY) await this.#waiting.promise;
    else await settlesWithin(this.#waiting.promise, ms);
  }
}

/** What is kept of a call beside its events. */
export async function keptOf(folder: CallFolder): Promise<KeptCall> {
  const { missing, audio, isLive } = folder;
  return {
    version: 1,
    missing,
    ...(audio && { audio: { startedAt: audio.startedAt, durationMs: audio.durationMs } }),
    ...(!isLive && { figures: await folderFigures(folder) }),
  };
}
