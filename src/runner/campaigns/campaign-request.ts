import { z } from 'zod';
import { VoicebotError } from '../../base/errors.js';
import type { CalleeHours } from '../dialing/callee-hours.js';
import { zonesOf } from '../dialing/callee-zones.js';
import { type CallingHours, parseCallingHours } from '../dialing/calling-hours.js';
import { MAX_BODY_BYTES, parseJson, timeZoneName } from '../dialing/start-request.js';
import type { Contact } from './campaign.js';
import { parseRetryRules, type RetryRules } from './retry-rules.js';

/** Largest request for a campaign, in bytes. */
export const MAX_CAMPAIGN_BYTES = 20 * 1_024 * 1_024;
export const MAX_CONTACTS = 100_000;
const DEFAULT_PER_MINUTE = 30;
const DEFAULT_AT_ONCE = 10;
/** Problems that a message names; the others it counts. */
const SHOWN = 20;
/** Problems that are listed for programs. */
const LISTED = 1_000;
/** Contacts that are checked before others have their turn. */
const CHECKED_AT_A_TIME = 200;

/** Why a contact cannot be called. */
export interface ContactProblem {
  /** From 1. */
  readonly row: number;
  readonly problem: string;
}

/** What a contact has to pass. */
export interface ContactChecks {
  /** As for any number that is dialled. */
  readonly checkTarget: (to: string, field: string) => Promise<string>;
  readonly hours: CalleeHours;
}

/** A checked request for a campaign. */
export interface CampaignRequest {
  readonly name: string;
  readonly perMinute: number;
  readonly atOnce: number;
  readonly hours: CallingHours | undefined;
  readonly retries: RetryRules;
  /** Those who can be called. */
  readonly contacts: readonly Contact[];
  readonly problems: readonly ContactProblem[];
  /** Begin with those who can be called. */
  readonly skipsBad: boolean;
  /** Begin nothing. */
  readonly onlyChecks: boolean;
}

/** Reads by one of the parsers that people's words go through. */
const words = <T>(parse: (text: string) => T) =>
  z.string().transform((text, context): T => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

const campaignRequest = z.strictObject({
  name: z.string().min(1).max(200).default('campaign'),
  per_minute: z.int().min(1).max(10_000).default(DEFAULT_PER_MINUTE),
  at_once: z.int().min(1).max(1_000).default(DEFAULT_AT_ONCE),
  hours: words(parseCallingHours).optional(),
  retry: words(parseRetryRules).default({}),
  skip_bad: z.boolean().default(false),
  check_only: z.boolean().default(false),
  contacts: z.array(z.unknown()).min(1).max(MAX_CONTACTS),
});

const contactRequest = z.strictObject({
  phone_number: z.string('phone_number must be a string such as "+12025550101"'),
  id: z.string('id must be a string').max(200, 'id has more than 200 characters').optional(),
  time_zone: timeZoneName.optional(),
  body: z.record(z.string(), z.unknown(), 'body must be a JSON object').default({}),
});

/** What `POST /campaigns` is sent. */
export type SentCampaign = Omit<z.input<typeof campaignRequest>, 'contacts'> & {
  readonly contacts: ReadonlyArray<z.input<typeof contactRequest>>;
};

/**
 * Reads a request for a campaign, and finds out who of it can be called.
 * @throws VoicebotError VB_REQUEST_INVALID naming every field that is wrong
 */
export async function parseCampaignRequest(raw: Buffer, checks: ContactChecks): Promise<CampaignRequest> {
  const parsed = campaignRequest.safeParse(parseJson(raw));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) =>
      [path.join('.'), message].filter(Boolean).join(': '),
    );
    throw new VoicebotError('VB_REQUEST_INVALID', problems.join('; '));
  }
  const { name, per_minute, at_once, hours, retry, skip_bad, check_only, contacts: sent } = parsed.data;
  const contacts: Contact[] = [];
  const problems: ContactProblem[] = [];
  const rows = new Map<string, number>();
  for (const [index, one] of sent.entries()) {
    if (index % CHECKED_AT_A_TIME === CHECKED_AT_A_TIME - 1) await new Promise((resolve) => setImmediate(resolve));
    const row = index + 1;
    try {
      const contact = await contactOf(one, hours, checks);
      const earlier = rows.get(contact.phoneNumber);
      if (earlier !== undefined) throw new Error(`the number of row ${earlier} again`);
      rows.set(contact.phoneNumber, row);
      contacts.push(contact);
    } catch (error) {
      problems.push({ row, problem: wordsOf(error as Error) });
    }
  }
  const limits = { perMinute: per_minute, atOnce: at_once };
  return { name, ...limits, hours, retries: retry, contacts, problems, skipsBad: skip_bad, onlyChecks: check_only };
}

/** @throws Error saying why this contact cannot be called */
async function contactOf(
  one: unknown,
  own: CallingHours | undefined,
  { checkTarget, hours }: ContactChecks,
): Promise<Contact> {
  const parsed = contactRequest.safeParse(one);
  if (!parsed.success) throw new Error(parsed.error.issues.map(({ message }) => message).join('; '));
  const { phone_number: written, id, time_zone: timeZone, body } = parsed.data;
  const bytes = Buffer.byteLength(JSON.stringify(body));
  if (bytes > MAX_BODY_BYTES)
    throw new Error(`its custom data has ${bytes} bytes as JSON, the limit is ${MAX_BODY_BYTES}`);
  const phoneNumber = await checkTarget(written, 'phone_number');
  const contact = { phoneNumber, body, ...(id !== undefined && { id }), ...(timeZone !== undefined && { timeZone }) };
  if (hours.next(contact, Date.now(), own) !== undefined) return contact;
  const zones = zonesOf(contact);
  if (zones.length === 0) throw new Error('it is not known in which time zone this number is: give it a time_zone');
  throw new Error(
    zones.length === 1
      ? 'the hours of the campaign and the calling hours of its country have no time in common'
      : `the ${zones.length} time zones in which this number may be have no such hours in common: give it a time_zone`,
  );
}

/** A person reads the cause, not the summary of its code. */
const wordsOf = ({ message }: Error) =>
  message.replace(
    /^(The request is not valid|This number may not be called|A limit on dialled calls is reached): /,
    '',
  );

/** Names the first of what is wrong, and counts the rest. */
export class ContactsError extends VoicebotError {
  readonly problems: readonly ContactProblem[];

  constructor(
    problems: readonly ContactProblem[],
    readonly count = problems.length,
  ) {
    const shown = problems.slice(0, SHOWN).map(({ row, problem }) => `row ${row}: ${problem}`);
    const more = count > SHOWN ? [`and ${count - SHOWN} more`] : [];
    super('VB_CONTACTS_INVALID', `${count} of them\n  ${[...shown, ...more].join('\n  ')}`, {
      hint: 'Correct them, or leave them out with skip_bad. No call was placed.',
    });
    this.problems = problems.slice(0, LISTED);
  }
}
