import type { Server } from 'node:http';
import type { Router } from 'express';
import type { Logger } from '../../base/logger.js';
import type { BotPool } from '../bots/bot-pool.js';
import type { DialGate } from '../dialing/dial-limits.js';
import type { DoNotCallList } from '../dialing/do-not-call/do-not-call-list.js';
import type { StartedCall, StartRequest } from '../dialing/start-request.js';
import type { ConnectionGuard } from '../http/connection-guard.js';
import type { CallsElsewhere } from '../http/elsewhere.js';
import type { Reach } from '../http/reach.js';
import type { RefusalLog } from '../http/refusal-log.js';
import type { WebhookAddresses } from '../http/webhook-addresses.js';
import type { PassSigner } from './carrier/stream-pass.js';
import type { JournalOf } from './debts/hangup-journal.js';
import type { CallRegistry } from './life/call-registry.js';
import type { CallSupervisor } from './life/supervisor.js';
import type { RoomTrial, TrialOptions } from './rooms/trial-room.js';

/** What a runner has whichever provider its calls come from. */
export interface AdapterContext {
  readonly server: Server;
  readonly registry: CallRegistry;
  readonly pool: BotPool;
  readonly addresses: WebhookAddresses;
  /** How the provider reaches those addresses. */
  readonly reach: Reach;
  /** They are those of a tunnel, which may break and come back under another name. */
  readonly isTunnelled?: boolean | undefined;
  /** Most calls whose media the tunnel carries at once; undefined means any number. */
  readonly maxCalls: () => number | undefined;
  /** Tells people of callers who are turned away. */
  readonly turnedAway: RefusalLog;
  readonly guard: ConnectionGuard;
  readonly refusals: RefusalLog;
  readonly limits: DialGate;
  /**
   * @param field what to call the number in messages
   * @returns `to` as E.164
   * @throws VoicebotError when this number may not be called
   */
  readonly checkTarget: (to: string, field: string) => Promise<string>;
  readonly doNotCall: DoNotCallList;
  /** Calls come from the phone network on this machine. */
  readonly isSandbox?: boolean | undefined;
  /** Where bots transfer callers to, E.164; undefined on a real account where it is not set. */
  readonly operatorNumber?: string | undefined;
  /** The bot's own number, E.164. */
  readonly phoneNumber: string | undefined;
  /** Accept webhooks without a signature. */
  readonly insecure: boolean;
  readonly maxCallSeconds: number;
  readonly dialMaxSeconds: number;
  readonly ringSeconds: number;
  readonly silenceSeconds: number;
  /** Absolute path of the folder for what must survive this process. */
  readonly stateDirectory: string;
  /** Where it is written down what the runner has to end at the provider. */
  readonly journalOf: JournalOf;
  /** Signs the passes of streams, where other runners have to know them too. */
  readonly signer?: PassSigner | undefined;
  /** Its calls stay on this machine: no provider's account has a part in them. Default false. */
  readonly isLocal?: boolean | undefined;
  /** The calls of the runners with which this one acts as one; undefined when it is alone. */
  readonly sharing?: CallsElsewhere | undefined;
  readonly logger: Logger;
}

export type RoomTrialWishes = Pick<TrialOptions, 'transcribes' | 'signal'>;

/** The calls of one provider: how they reach the runner, are dialled, and end. */
export interface ProviderAdapter {
  /** What the provider calls over HTTP. */
  readonly routes: Router;
  /** Has its live calls. */
  readonly supervisor: CallSupervisor;
  dial(request: StartRequest): Promise<StartedCall>;
  /** Joins a room of its own, where calls go through rooms. @throws VoicebotError as `tryRoom` of `rooms/trial-room.ts` */
  tryRoom?(wishes: RoomTrialWishes): Promise<RoomTrial>;
  /** Takes up what earlier runners have left open. */
  recover(): void;
  /** Gives what is owed to the provider a moment, unless `atOnce` is or becomes aborted, and lets go of everything. */
  close(atOnce: AbortSignal): Promise<void>;
}

/** A provider that is ready: once it is known where it reaches us, calls can come. */
export type StartAdapter = (context: AdapterContext) => ProviderAdapter;
