import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { DTMF_DIGITS } from '../../base/audio/dtmf.js';
import { E164 } from '../../call/phone-number.js';
import { CanReceive, Permissions } from './permissions.js';
import { invalidRequest } from './refusals.js';

const MAX_NAME = 200;
const MAX_USER_ID = 36;
const MAX_ADDRESS = 512;
const MAX_IDS = 100;
const MAX_TONES = 20;
const MAX_ENDPOINTING_MS = 10_000;

const SessionId = z.string().min(1).max(64);
const SipAddress = z
  .string()
  .regex(/^sip:\S+$/, 'must start with sip:')
  .max(MAX_ADDRESS);
const PhoneNumber = z.string().regex(E164, 'must be an E.164 number');
const Digits = z
  .string()
  .min(1)
  .max(MAX_TONES)
  .transform((tones) => [...tones])
  .pipe(z.array(z.enum(DTMF_DIGITS)));

/** The parameters of call control; further fields are ignored. @see rooms reference 8 */
export const StartDialOut = z
  .object({
    phoneNumber: PhoneNumber.optional(),
    sipUri: SipAddress.optional(),
    displayName: z.string().max(MAX_NAME).optional(),
    userId: z.string().max(MAX_USER_ID).optional(),
    callerId: z.string().max(MAX_NAME).optional(),
    permissions: z.strictObject({ canReceive: CanReceive.optional() }).optional(),
  })
  .refine(({ phoneNumber, sipUri }) => (phoneNumber === undefined) !== (sipUri === undefined), {
    message: 'exactly one of phoneNumber and sipUri is needed',
  });
export const StopDialOut = z.object({ sessionId: SessionId });
export const SendDtmf = z.object({
  sessionId: SessionId,
  tones: Digits,
  digitDurationMs: z.int().min(50).max(2_000).default(500),
});
export const Transfer = z.object({
  sessionId: SessionId,
  toEndPoint: z.union([PhoneNumber, SipAddress], { error: 'must be an E.164 number or start with sip:' }),
  callerId: z.string().max(MAX_NAME).optional(),
});
export const Refer = z.object({ sessionId: SessionId, toEndPoint: SipAddress });
/** By session id; `*`: all that are not named. */
export const UpdatePermissions = z.strictObject({
  data: z
    .record(SessionId, Permissions)
    .refine((data) => Object.keys(data).length <= MAX_IDS, `must name ${MAX_IDS} participants at most`),
});
export const Eject = z.object({ ids: z.array(SessionId).max(MAX_IDS).default([]) });

const InstanceId = z.string().min(1).max(64);
const Participants = z.array(SessionId).max(MAX_IDS);
const Words = z.string().min(1).max(MAX_NAME);
/** What is missing is as the provider has it. @see rooms reference 8.3 */
export const StartTranscription = z.object({
  instanceId: InstanceId.default(() => randomUUID()),
  participants: Participants.optional(),
  language: Words.optional(),
  model: Words.optional(),
  endpointing: z.number().min(0).max(MAX_ENDPOINTING_MS).or(z.boolean()).optional(),
  punctuate: z.boolean().optional(),
  includeRawResponse: z.boolean().default(false),
  extra: z.record(z.string(), z.unknown()).default({}),
});
export const UpdateTranscription = z.object({ instanceId: InstanceId.optional(), participants: Participants });
export const StopTranscription = z.object({ instanceId: InstanceId.optional() });

/** @throws RoomRefusal 400 */
export function readParams<T extends z.ZodType>(schema: T, params: Readonly<Record<string, unknown>>): z.infer<T> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.');
  throw invalidRequest(field ? `${field}: ${issue?.message}` : String(issue?.message));
}
