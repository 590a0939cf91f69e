import { faultOf } from './check-fields.js';
import type { FakeFields } from './fake-live-session.js';
import type { RealtimeItem, RealtimeMemory } from './realtime-memory.js';
import { REALTIME_CONTENT, REALTIME_ITEMS, type RealtimeError, realtimeError } from './realtime-shapes.js';

/** Makes an item of what a client wants to put into the conversation. */
export function itemOfClient(
  fields: FakeFields,
  memory: RealtimeMemory,
  newId: () => string,
): { item: RealtimeItem } | { error: RealtimeError } {
  const shapes = REALTIME_ITEMS[String(fields.type)];
  if (!shapes) {
    const wanted = Object.keys(REALTIME_ITEMS);
    return { error: realtimeError({ reason: 'value', path: 'item.type', found: fields.type, wanted }) };
  }
  const fault = faultOf(fields, shapes, 'item.') ?? contentFault(fields);
  if (fault) return { error: realtimeError(fault) };
  const { id = newId(), object: _, status: __, ...wire } = fields;
  if (memory.find(id)) {
    const message = `Error adding item: an item with item_id '${String(id)}' already exists.`;
    return { error: { code: 'item_create_duplicate_item_id', message, param: 'item.id' } };
  }
  const isResult = wire.type === 'function_call_output';
  if (isResult && !memory.items.some((item) => item.type === 'function_call' && item.callId === wire.call_id)) {
    const message = `Tool call ID '${String(wire.call_id)}' not found in conversation.`;
    return { error: { code: 'invalid_tool_call_id', message, param: 'item.call_id' } };
  }
  return { item: { id: String(id), wire, audioMs: 0, totalMs: 0, text: textOf(wire), isTruncated: false } };
}

function contentFault({ type, role, content }: FakeFields): Parameters<typeof realtimeError>[0] | undefined {
  if (type !== 'message') return undefined;
  const wanted = REALTIME_CONTENT[String(role)] ?? [];
  for (const [index, part] of (content as FakeFields[]).entries()) {
    const path = `item.content[${index}].type`;
    if (part?.type === undefined) return { reason: 'missing', path, found: undefined, wanted: [] };
    if (!wanted.includes(String(part.type))) return { reason: 'value', path, found: part.type, wanted };
  }
  return undefined;
}

function textOf(wire: FakeFields): string {
  if (wire.type === 'function_call_output') return String(wire.output);
  if (wire.type === 'function_call') return String(wire.arguments);
  return (wire.content as FakeFields[]).map(({ text, transcript }) => String(text ?? transcript ?? '')).join('');
}
