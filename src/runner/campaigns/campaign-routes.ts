import { createHash, randomBytes } from 'node:crypto';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import { VoicebotError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { CAMPAIGN_ORDERS } from '../../call/campaign-progress.js';
import type { CalleeHours } from '../dialing/callee-hours.js';
import type { RunnerAccess } from '../http/access.js';
import { admitJson, bytesOf, idempotencyKeyOf, rawBody, requestProblem } from '../http/json-request.js';
import { problemAnswer } from '../http/problem-answer.js';
import type { Campaign } from './campaign.js';
import { type CampaignRequest, ContactsError, MAX_CAMPAIGN_BYTES, parseCampaignRequest } from './campaign-request.js';
import type { Campaigns } from './campaigns.js';

export interface CampaignRoutesOptions {
  readonly access: RunnerAccess;
  readonly campaigns: Campaigns;
  readonly checkTarget: (to: string, field: string) => Promise<string>;
  readonly hours: CalleeHours;
  /** Which bot calls, and from which number. */
  readonly serves: string;
  readonly logger: Logger;
}

const PATH = '/campaigns';
/** Of an order, which says nothing. */
const MAX_ORDER_BYTES = 1_024;

/**
 * `POST /campaigns` begins a campaign, and answers 201 with its progress, 200 when it was only to be checked.
 * `POST /campaigns/:id/pause`, `/resume` and `/cancel` answer with its progress, 404 for one that is not known.
 */
export function campaignRoutes({ access, campaigns, serves, logger, ...checks }: CampaignRoutesOptions): Router {
  const create = async (request: Request, response: Response) => {
    const key = idempotencyKeyOf(request);
    const raw = bytesOf(request);
    const asked = await parseCampaignRequest(raw, checks);
    const { problems, contacts, skipsBad, onlyChecks } = asked;
    if (onlyChecks) return void response.json({ version: 1, rows: contacts.length, ...listed(asked) });
    if (contacts.length === 0 || (problems.length > 0 && !skipsBad)) throw new ContactsError(problems);
    const progress = await campaigns.create(campaignOf(asked, key, serves, fingerprintOf(raw)));
    response
      .status(201)
      .location(`${PATH}/${progress.id}`)
      .json({ version: 1, campaign: progress, ...listed(asked) });
  };

  const router = express.Router({ caseSensitive: true, strict: true });
  router.post(PATH, admitJson(access), rawBody(MAX_CAMPAIGN_BYTES), create);
  for (const order of CAMPAIGN_ORDERS) {
    router.post(`${PATH}/:id/${order}`, admitJson(access), rawBody(MAX_ORDER_BYTES), async (request, response) => {
      const progress = await campaigns.order(String(request.params.id), order);
      if (progress) response.json({ version: 1, campaign: progress });
      else unknown(response);
    });
  }
  router.use(PATH, (thrown: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const { error, status, headers, body } = requestProblem(thrown, campaignTooLarge);
    if (status === 500) logger.error('a campaign could not be begun', { error });
    else logger.warn('campaign refused', { status, code: body.error.code });
    const more = error instanceof ContactsError ? { problems: error.problems, problem_count: error.count } : {};
    response
      .set(headers)
      .status(status)
      .json({ ...body, ...more });
  });
  return router;
}

const listed = ({ problems }: CampaignRequest) => ({
  problems: problems.slice(0, 1_000),
  problem_count: problems.length,
});

/** The same key gives the same identifier, in whichever runner it is used. */
function campaignOf(asked: CampaignRequest, key: string | undefined, serves: string, fingerprint: string): Campaign {
  const { name, perMinute, atOnce, hours, retries, contacts } = asked;
  const named = key === undefined ? randomBytes(12) : createHash('sha256').update(key).digest().subarray(0, 12);
  const id = `cmp_${named.toString('base64url')}`;
  const createdAt = Date.now();
  return { version: 1, id, name, fingerprint, serves, createdAt, perMinute, atOnce, hours, retries, contacts };
}

const fingerprintOf = (raw: Buffer) => createHash('sha256').update(raw).digest('base64');

const campaignTooLarge = () =>
  new VoicebotError('VB_BODY_TOO_LARGE', `the request has more than ${MAX_CAMPAIGN_BYTES} bytes`, {
    hint: 'begin several campaigns, each with a part of the contacts',
  });

const unknown = (response: Response) =>
  void response
    .status(404)
    .json(problemAnswer(new VoicebotError('VB_REQUEST_INVALID', 'the runner knows no such campaign')).body);
