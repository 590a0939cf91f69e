import { asProviderCallId, callerNumber, cleanText, isFields } from 'voicebot/provider';

/** @param {unknown} value @returns {value is string} */
const isId = (value) => typeof value === 'string' && /^[\w-]{1,64}$/.test(value);

/** @param {unknown} value */
const partyOf = (value) => (typeof value === 'string' && value.length <= 256 ? cleanText(value) : '');

/** @type {import('voicebot/provider').RoomProvider['parseWebhook']} */
export function parseWebhook(body) {
  const fields = JSON.parse(body.toString('utf8'));
  if (!isFields(fields)) return { kind: 'invalid', problem: 'the body is not a JSON object' };
  if (fields.event === 'ping') return { kind: 'test' };
  if (fields.event !== 'caller.held') return { kind: 'invalid', problem: 'the event is not caller.held' };
  const { id, lobby, from, to } = isFields(fields.held) ? fields.held : {};
  if (!isId(id) || !isId(lobby)) return { kind: 'invalid', problem: 'held.id and held.lobby must be identifiers' };
  return {
    kind: 'call',
    providerCallId: asProviderCallId(id),
    callDomain: lobby,
    from: callerNumber(partyOf(from), false),
    to: partyOf(to),
    sipHeaders: undefined,
  };
}
