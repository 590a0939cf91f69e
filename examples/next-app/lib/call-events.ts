/** What of an event the page shows. */
export interface CallEvent {
  readonly id: string;
  readonly callId: string;
  readonly type: string;
  /** What was understood of the other party, and heard of the bot. */
  readonly caller?: string;
  readonly bot?: string;
  readonly endReason?: string;
}

type Listener = (event: CallEvent) => void;

/** Kept outside the modules, which Next.js loads once for each route. With several processes, put Redis or a database in its place. */
const shared = globalThis as { callEvents?: { seen: Map<string, CallEvent>; listeners: Set<Listener> } };
shared.callEvents ??= { seen: new Map(), listeners: new Set() };
const { seen, listeners } = shared.callEvents;
const MOST = 1_000;

/** An event may come twice. */
export function publish(event: CallEvent): void {
  if (seen.has(event.id)) return;
  seen.set(event.id, event);
  const [oldest] = seen.keys();
  if (seen.size > MOST && oldest !== undefined) seen.delete(oldest);
  for (const listener of listeners) listener(event);
}

/** Tells what has happened in a call so far, and what happens. @returns ends it */
export function follow(callId: string, listener: Listener): () => void {
  const ofCall: Listener = (event) => event.callId === callId && listener(event);
  for (const event of seen.values()) ofCall(event);
  listeners.add(ofCall);
  return () => void listeners.delete(ofCall);
}
