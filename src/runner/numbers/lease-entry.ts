import { z } from 'zod';
import type { NumberRoute, RouteChange } from '../../call/number-routing.js';
import type { ProcessIdentity } from './process-identity.js';

/** One account at one provider; what was changed there is never put back at another. */
export interface LeaseAccount {
  /** `daily`, `plivo` … */
  readonly provider: string;
  /** Tells accounts apart and opens none: the auth id, or the beginning of the API key's SHA-256. */
  readonly id: string;
  readonly apiUrl: string;
}

export const isSameAccount = (one: LeaseAccount, other: LeaseAccount) =>
  one.provider === other.provider && one.id === other.id && one.apiUrl === other.apiUrl;

/** A number that is set to an address of ours, and all that is needed to put it back. It holds secrets. */
export interface LeaseEntry extends ProcessIdentity {
  readonly version: 1;
  /** Of whoever holds it now; `change.leaseId` stays that of the first when one takes it from another. */
  readonly leaseId: string;
  readonly account: LeaseAccount;
  /** Set until somebody asks for it back, and not for as long as its process lives. */
  readonly isKept: boolean;
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
  readonly change: RouteChange;
  /** How the number was, for people. */
  readonly route: NumberRoute;
  /** A kept one that a run has taken for a while: it holds again when that gives the number back. */
  readonly below?: LeaseEntry | undefined;
}

const urls = z.object({ answerUrl: z.string(), hangupUrl: z.string() });
const number = z.string().regex(/^\+\d{3,15}$/);
const leaseId = z.string().regex(/^[a-z0-9]{8,32}$/);

const Entry = z
  .object({
    version: z.literal(1),
    leaseId,
    account: z.object({ provider: z.string().min(1), id: z.string().min(1), apiUrl: z.string().min(1) }),
    isKept: z.boolean(),
    pid: z.int().positive(), // 0 and below would mean whole groups
    startTime: z.string().optional(),
    host: z.string(),
    takenAt: z.number(),
    change: z.object({
      number,
      leaseId,
      isInPlace: z.boolean(),
      urls: z.tuple([urls], urls),
      secret: z.string().optional(),
      before: z.unknown(),
    }),
    route: z.object({
      number,
      webhookUrl: z.string().optional(),
      heldBy: z.string().optional(),
      sharedWith: z.array(number),
      isOurs: z.boolean(),
    }),
    get below() {
      return Entry.optional();
    },
  })
  .refine(({ change, route }) => change.number === route.number) as z.ZodType<LeaseEntry>;

/** Undefined for what is not wholly and exactly one. */
export function readLeaseEntry(text: string): LeaseEntry | undefined {
  try {
    return Entry.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
