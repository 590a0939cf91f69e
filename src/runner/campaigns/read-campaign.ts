import { z } from 'zod';
import { parseFields } from '../../base/http/json-fields.js';
import type { Campaign, CampaignEntry } from './campaign.js';

const when = z.number();
const count = z.number().int().min(1);

const Contact = z.object({
  phoneNumber: z.string(),
  id: z.string().optional(),
  timeZone: z.string().optional(),
  body: z.record(z.string(), z.unknown()),
});

const Written = z.object({
  version: z.literal(1),
  id: z.string(),
  name: z.string(),
  fingerprint: z.string(),
  serves: z.string(),
  createdAt: when,
  perMinute: z.number().positive(),
  atOnce: count,
  hours: z.object({ from: z.number(), to: z.number() }).optional(),
  retries: z.record(z.string(), z.object({ pauseMs: z.number().min(0), times: count })),
  contacts: z.array(Contact),
});

const attempt = { row: count, attempt: count, at: when };
const placed = { ...attempt, callId: z.string(), runner: z.string() };
const Entry = z.discriminatedUnion('is', [
  z.object({ is: z.literal('condition'), at: when, condition: z.enum(['running', 'paused', 'cancelled']) }),
  z.object({ is: z.literal('placing'), ...placed }),
  z.object({ is: z.literal('placed'), ...placed }),
  z.object({ is: z.literal('undone'), ...attempt }),
  z.object({
    is: z.literal('ended'),
    ...attempt,
    callId: z.string(),
    outcome: z.string(),
    startedAt: z.number(),
    endedAt: z.number().optional(),
    talkedMs: z.number(),
    cost: z.object({ currency: z.string(), amount: z.string(), isComplete: z.boolean() }).optional(),
    disclosedAt: z.number().optional(),
    problem: z.string().optional(),
    nextAt: z.number().optional(),
  }),
]);

/** A campaign as it was written; undefined for what is damaged: no number is called by a list of which a part is guessed. */
export const readCampaign = (text: string): Campaign | undefined =>
  Written.safeParse(parseFields(text)).data as Campaign | undefined;

/** A line of what has happened in a campaign; undefined for what is not one. */
export const readEntry = (line: string): CampaignEntry | undefined =>
  Entry.safeParse(parseFields(line)).data as CampaignEntry | undefined;
