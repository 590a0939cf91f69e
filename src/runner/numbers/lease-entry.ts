import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseFields } from '../../base/http/json-fields.js';
import type { ProcessIdentity } from '../../base/process/process-identity.js';
import type { NumberRoute, RouteChange } from '../../call/number-routing.js';

/** One account at one provider; what was changed there is never put back at another. */
export interface LeaseAccount {
  /** `daily`, `plivo` … */
  readonly provider: string;
  /** Tells accounts apart and opens none: the auth id, or the beginning of the API key's SHA-256. */
  readonly id: string;
  readonly apiUrl: string;
  /** The package or module that brings the provider; missing for those of this project. */
  readonly extension?: string | undefined;
}

export const isSameAccount = (one: LeaseAccount, other: LeaseAccount) =>
  one.provider === other.provider && one.id === other.id && one.apiUrl === other.apiUrl;

/** A number that is set to an address of ours, and all that is needed to put it back. It holds secrets. */
export interface LeaseEntry extends ProcessIdentity {
  readonly version: 1;
  /** Of the run that holds it now; `change.leaseId` stays that of the first when one takes it from another. */
  readonly leaseId: string;
  readonly account: LeaseAccount;
  /** Set until the user asks for it back, and not for as long as its process lives. */
  readonly isKept: boolean;
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
  readonly change: RouteChange;
  /** How the number was, for people. */
  readonly route: NumberRoute;
  /** A kept one that a run has taken for a while: it holds again when that gives the number back. */
  readonly below?: LeaseEntry | undefined;
  /** Of a cluster's: what its runners have agreed on. */
  readonly cluster?: LeaseShare | undefined;
}

/** What the runners of a cluster have agreed on of a number that they hold together. */
export interface LeaseShare {
  /** Grows with each taking: a run that has an older one may not change the number any more. */
  readonly token: number;
  /** Grows with each change of the entry under one token. */
  readonly revision: number;
  /** Identifiers of the runners that hold the number, those that are gone among them. */
  readonly holders: readonly string[];
}

const urls = z.object({ answerUrl: z.string(), hangupUrl: z.string() });
const number = z.string().regex(/^\+\d{3,15}$/);
const leaseId = z.string().regex(/^[a-z0-9]{8,32}$/);

const Entry = z
  .object({
    version: z.literal(1),
    leaseId,
    account: z.object({
      provider: z.string().min(1),
      id: z.string().min(1),
      apiUrl: z.string().min(1),
      extension: z.string().optional(),
    }),
    isKept: z.boolean(),
    pid: z.int().positive(), // 0 and below would mean whole groups
    startTime: z.string().optional(),
    host: z.string(),
    takenAt: z.number(),
    change: z.object({
      number,
      leaseId,
      isInPlace: z.boolean().optional(),
      urls: z.tuple([urls], urls),
      secret: z.string().optional(),
      before: z.unknown(),
    }),
    route: z.object({
      number,
      webhookUrl: z.string().optional(),
      heldBy: z.string().optional(),
      isOurs: z.boolean(),
      takesCalls: z.boolean().optional(),
      isUnanswered: z.boolean().optional(),
      isFallback: z.boolean().optional(),
    }),
    get below() {
      return Entry.optional();
    },
    cluster: z
      .object({ token: z.int().positive(), revision: z.int().positive(), holders: z.array(z.string()) })
      .optional(),
  })
  .refine(({ change, route }) => change.number === route.number) as z.ZodType<LeaseEntry>;

/** Undefined for what is not wholly and exactly one. */
export function readLeaseEntry(text: string): LeaseEntry | undefined {
  return Entry.safeParse(parseFields(text)).data;
}

/** What files and keys of an entry are called. */
export const leaseNameOf = (account: LeaseAccount, number: string) =>
  `${accountNameOf(account)}-${number.replace(/\D/g, '')}`;

/** What files and keys of an account are called. */
export function accountNameOf({ provider, id, apiUrl }: LeaseAccount): string {
  const account = createHash('sha256').update(`${id}\n${apiUrl}`).digest('hex').slice(0, 12);
  return `${provider.replaceAll(/[^\w-]/g, '_')}-${account}`;
}
