import type { EventEmitter } from 'node:events';
import type { Logger } from '../../base/logger.js';
import type { AttemptId, Campaign, CampaignEntry } from './campaign.js';
import type { CampaignState } from './campaign-state.js';

/**
 * `begun`: it is written down that this attempt is being placed, and no other runner may place it. `wait`: not before so many
 * milliseconds. `refused`: the campaign does not run, or a runner has begun this attempt.
 */
export type Begun =
  | { readonly is: 'begun' }
  | { readonly is: 'wait'; readonly ms: number }
  | { readonly is: 'refused' };

/** Does an attempt, or goes on with one whose runner has died; never rejects. */
export type AttemptHandler = (attempt: AttemptId) => Promise<void>;

export interface QueueOptions {
  /** Absolute path. */
  readonly stateDirectory: string;
  /** Which bot calls, and from which number: the campaigns of others are not its. */
  readonly serves: string;
  readonly logger: Logger;
}

export interface CampaignQueueEvents {
  /** A campaign is there, or something in it has changed. */
  change: [campaign: string];
}

/**
 * Where campaigns are written down, and how their attempts reach a runner. What it has written down outlives every process; an
 * attempt may reach a runner more than once, and {@link CampaignQueue.begin} lets one of them place it.
 */
export interface CampaignQueue extends EventEmitter<CampaignQueueEvents> {
  /** By identifier: those that go on, and those that have ended lately. */
  readonly states: ReadonlyMap<string, CampaignState>;
  /**
   * One of {@link states}, or one that another runner has begun a moment ago; up to date with what all have written.
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE when it is not among them and Redis cannot be asked
   */
  find(campaign: string): Promise<CampaignState | undefined>;
  /** Milliseconds since the Unix epoch, by the one clock that all runners go by. */
  now(): number;
  /** Whether the runner of this name may still be at its attempts. */
  isAlive(runner: string): boolean;
  /** Reads what earlier runs have left, then hands over what is offered. */
  open(handle: AttemptHandler): Promise<void>;
  /**
   * Writes down a campaign; one with this identifier that is there already stays as it is.
   * @returns the one that is there now
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE
   */
  create(campaign: Campaign): Promise<CampaignState>;
  /** Has a runner handle an attempt, this one or another. To offer the same again does no harm. */
  offer(attempt: AttemptId): Promise<void>;
  /**
   * Asks for leave to place a call, and writes down that it is being placed under this name.
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE
   */
  begin(attempt: AttemptId, callId: string): Promise<Begun>;
  /** Writes down what has happened; where that cannot reach everybody yet, it does later. */
  write(campaign: string, entry: WrittenEntry): Promise<void>;
  /**
   * Pauses, goes on or cancels, for all runners.
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE
   */
  turn(campaign: string, condition: 'running' | 'paused' | 'cancelled'): Promise<void>;
  /** Takes no attempts any more. */
  drain(): void;
  /** Lets go of everything; nothing is written afterwards. */
  close(): Promise<void>;
}

/** What {@link CampaignQueue.write} is told. */
export type WrittenEntry = Exclude<CampaignEntry, { is: 'condition' | 'placing' }>;
