import type { FakeLiveItem } from './fake-live-reply.js';
import type { FakeFields } from './fake-live-session.js';
import type { RealtimeError } from './realtime-shapes.js';

/** One item as it stands on the wire, and what the model remembers of it. */
export interface RealtimeItem {
  readonly id: string;
  /** Everything beside the id. */
  wire: FakeFields;
  /** Audio that was sent and is remembered, in milliseconds. */
  audioMs: number;
  /** Length of a whole answer as speech, in milliseconds, also of what was not sent; 0 for all else. */
  totalMs: number;
  text: string;
  isTruncated: boolean;
}

/** What a session remembers: the items of its conversation. */
export class RealtimeMemory {
  readonly #items: RealtimeItem[] = [];

  /** What the model remembers, oldest first. */
  get items(): FakeLiveItem[] {
    return this.#items.map(({ id, wire, audioMs, totalMs, text, isTruncated }) => {
      const type = wire.type as FakeLiveItem['type'];
      return {
        id,
        type,
        role:
          type === 'message' ? (wire.role as FakeLiveItem['role']) : type === 'function_call' ? 'assistant' : 'tool',
        text: audioMs < totalMs ? text.slice(0, Math.floor((audioMs * text.length) / totalMs)) : text,
        audioMs,
        isTruncated,
        callId: wire.call_id as string | undefined,
        name: wire.name as string | undefined,
      };
    });
  }

  /** Id of the latest item. */
  get lastId(): string | null {
    return this.#items.at(-1)?.id ?? null;
  }

  /** Whether the model has spoken. */
  get hasSpoken(): boolean {
    return this.#items.some(({ wire, audioMs }) => wire.role === 'assistant' && audioMs > 0);
  }

  find(id: unknown): RealtimeItem | undefined {
    return this.#items.find((item) => item.id === id);
  }

  /**
   * Remembers an item.
   * @param after id of the item that it follows, `root` for the first place. Default: it is the last one
   * @returns id of the item before it, or nothing when there is no `after`
   */
  add(item: RealtimeItem, after: string | null = this.lastId): { previous: string | null } | undefined {
    const at = after === null || after === 'root' ? 0 : this.#items.findIndex(({ id }) => id === after) + 1;
    if (at === 0 && after !== null && after !== 'root') return undefined;
    this.#items.splice(at, 0, item);
    return { previous: this.#items[at - 1]?.id ?? null };
  }

  /** Forgets an item. @returns whether there was one */
  delete(id: unknown): boolean {
    const at = this.#items.findIndex((item) => item.id === id);
    if (at >= 0) this.#items.splice(at, 1);
    return at >= 0;
  }

  /** Forgets what the caller has not heard of a message. @returns why not, as the provider says it */
  truncate(id: unknown, contentIndex: number, endMs: number): RealtimeError | undefined {
    const item = this.find(id);
    const param = 'item_id';
    if (!item) {
      const message = `Error truncating item: item with item_id '${String(id)}' does not exist.`;
      return { code: 'item_truncate_invalid_item_id', message, param };
    }
    if (item.wire.type !== 'message' || item.wire.role !== 'assistant' || item.totalMs === 0) {
      return { code: 'invalid_value', message: 'Only model output audio messages can be truncated.', param };
    }
    if (contentIndex !== 0) {
      const message = `Content part at index ${contentIndex} does not exist.`;
      return { code: 'invalid_value', message, param: 'content_index' };
    }
    if (endMs < 0 || endMs > item.audioMs) {
      const message = `Audio content of ${Math.round(item.audioMs)}ms is already shorter than ${endMs}ms`;
      return { code: 'invalid_value', message };
    }
    item.audioMs = endMs;
    item.isTruncated = true;
    return undefined;
  }
}

/** An item as the wire has it. */
export function itemOnWire(item: RealtimeItem, status = 'completed'): FakeFields {
  const { wire, id, isTruncated, text } = item;
  const head = { id, object: 'realtime.item', ...wire, status };
  if (wire.type !== 'message' || wire.content) return head;
  const transcript = isTruncated ? {} : { transcript: text };
  return { ...head, content: [{ type: wire.role === 'assistant' ? 'output_audio' : 'input_audio', ...transcript }] };
}
