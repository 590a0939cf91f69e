import { cleanText } from '../../base/clean-text.js';
import { isFields, type JsonFields } from '../../base/http/json-fields.js';
import { asProviderCallId } from '../../call/call-id.js';
import { callerNumber } from '../../call/caller-number.js';
import type { DialinWebhook } from '../rooms/room-provider.js';

const IDS = ['callId', 'callDomain'] as const;

/** Shorter ones may lack their country: which, nothing tells. */
const E164_DIGITS = /^[1-9]\d{10,14}$/;

/** Of identifiers, numbers and addresses, in characters. */
const MAX_TEXT = 256;
const MAX_SIP_HEADERS = 64;
/** Of the names and values of the headers that are kept together, in characters. */
const MAX_SIP_HEADERS_SIZE = 8_192;

/**
 * Reads a webhook; verify its signature before a call is believed. Unknown fields are ignored. A caller's number that
 * cannot be used is left empty, since the call is there all the same.
 * @throws SyntaxError when the body is not JSON
 * @see rooms reference 4.1 and 4.2
 */
export function parseDailyWebhook(body: Buffer): DialinWebhook {
  const fields: unknown = JSON.parse(body.toString('utf8'));
  if (!isFields(fields)) return { kind: 'invalid', problem: 'the body is not a JSON object' };
  if (isTest(fields)) return { kind: 'test' };
  const ids = {
    callId: firstOf(fields, 'callId', 'call_id'),
    callDomain: firstOf(fields, 'callDomain', 'call_domain'),
  };
  const missing = IDS.filter((name) => ids[name] === undefined);
  if (missing.length > 0) return { kind: 'invalid', problem: `missing ${missing.join(' and ')}` };
  const { callId, callDomain } = ids;
  if (!isShortText(callId) || !isShortText(callDomain)) {
    const wrong = IDS.filter((name) => !isShortText(ids[name])).join(' and ');
    return {
      kind: 'invalid',
      problem: `${wrong} must be text of 1 to ${MAX_TEXT} characters without control characters`,
    };
  }
  const sipHeaders = firstOf(fields, 'sipHeaders', 'sip_headers');
  return {
    kind: 'call',
    providerCallId: asProviderCallId(callId),
    callDomain,
    from: callerNumber(partyOf(firstOf(fields, 'From', 'from')), false),
    to: partyOf(firstOf(fields, 'To', 'to')),
    sipHeaders: isFields(sipHeaders) ? sipHeadersOf(sipHeaders) : undefined,
  };
}

/** The first of the spellings that says something: the provider's own first, then those of its samples. @see rooms reference 4.1 */
function firstOf(fields: JsonFields, ...names: readonly string[]): unknown {
  return names.map((name) => fields[name]).find((value) => value !== undefined && value !== null && value !== '');
}

/** A number or a SIP address. A JSON number cannot hold the plus of E.164; it has one when it is long enough to begin with a country. */
function partyOf(value: unknown): string {
  const text = Number.isSafeInteger(value) && E164_DIGITS.test(String(value)) ? `+${value}` : value;
  return isShortText(text) ? cleanText(text) : '';
}

/** Marked as one, or with nothing but the number that was configured: both forms are sent. */
function isTest(fields: JsonFields): boolean {
  return Boolean(fields.test) || Boolean(fields.Test) || /^to$/i.test(Object.keys(fields).join());
}

/** @see RFC 3261: the caller sets these, so they are bounded. */
function sipHeadersOf(fields: JsonFields): Record<string, string> {
  const kept: [name: string, value: string][] = [];
  let size = 0;
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value !== 'string') continue;
    size += name.length + value.length;
    if (kept.length === MAX_SIP_HEADERS || size > MAX_SIP_HEADERS_SIZE) break;
    kept.push([name, value]);
  }
  return Object.fromEntries(kept);
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT && /^\P{Cc}+$/u.test(value);
}
