import type { Router } from 'express';
import { asCallId } from '../../call/call-id.js';
import { type CallRegistry, newCallId } from '../calls/life/call-registry.js';
import type { CalleeHours } from '../dialing/callee-hours.js';
import type { StartRequest } from '../dialing/start-request.js';
import { type CallOutcomes, LocalOutcomes } from './call-outcomes.js';
import type { CampaignQueue, QueueOptions } from './campaign-queue.js';
import { type CampaignRoutesOptions, campaignRoutes } from './campaign-routes.js';
import { Campaigns } from './campaigns.js';

export interface RunnerCampaignsOptions extends Omit<CampaignRoutesOptions, 'campaigns' | 'serves'> {
  /** Absolute path. */
  readonly stateDirectory: string;
  readonly queueOf: (options: QueueOptions) => CampaignQueue;
  /** Absolute path. */
  readonly botFile: string;
  /** E.164. */
  readonly phoneNumber?: string | undefined;
  readonly isSandbox?: boolean | undefined;
  readonly registry: CallRegistry;
  readonly dial: (request: StartRequest) => Promise<unknown>;
  /** When contacts may be called, beside the hours of their campaign. */
  readonly hours: CalleeHours;
  /** Where it is seen how calls end. Default: among the calls of this runner. */
  readonly outcomes?: CallOutcomes | undefined;
  /** How long a dialled phone may ring, in seconds. */
  readonly ringSeconds: number;
}

/** How much later than its longest ringing the carrier may tell that a call without an answer is over, in seconds. */
const NEWS_SLACK_S = 60;

/** The campaigns of a runner. */
export class RunnerCampaigns {
  readonly campaigns: Campaigns;
  /** `POST /campaigns` and what is below it. */
  readonly routes: Router;

  constructor(options: RunnerCampaignsOptions) {
    const { stateDirectory, queueOf, dial, hours, registry, ringSeconds, logger } = options;
    const serves = servesOf(options);
    this.campaigns = new Campaigns({
      queue: queueOf({ stateDirectory, serves, logger }),
      dial: ({ callId, phoneNumber, timeZone, body }) =>
        dial({ callId: asCallId(callId), phoneNumber, timeZone, body: { ...body }, parameters: {} }),
      hours,
      outcomes: options.outcomes ?? new LocalOutcomes(registry),
      newCallId,
      newsWithinMs: (ringSeconds + NEWS_SLACK_S) * 1_000,
      logger,
    });
    this.routes = campaignRoutes({ ...options, campaigns: this.campaigns, serves });
  }
}

/** Which bot calls, and from which number; those of the sandbox are others than those of an account. */
const servesOf = ({ botFile, phoneNumber = '', isSandbox }: RunnerCampaignsOptions) =>
  [botFile, phoneNumber, isSandbox ? 'sandbox' : 'account'].join(' ');
