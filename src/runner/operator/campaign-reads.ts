import type { Request, Response } from 'express';
import { VoicebotError } from '../../base/errors.js';
import type { Campaigns } from '../campaigns/campaigns.js';
import { problemAnswer } from '../http/problem-answer.js';
import type { OperatorHandler } from './call-routes.js';

/** What operators ask of campaigns, by the address. */
export const campaignReads = (campaigns: Campaigns): Readonly<Record<string, OperatorHandler>> => ({
  '/campaigns': (_request, response) => response.json({ version: 1, campaigns: campaigns.list() }),
  '/campaigns/:id': (request, response) =>
    found(campaigns, request, response, (id) => {
      const campaign = campaigns.progress(id);
      return campaign && { campaign };
    }),
  '/campaigns/:id/results': (request, response) =>
    found(campaigns, request, response, (id) => {
      const results = campaigns.results(id);
      return results && { results };
    }),
});

/** Another runner of the cluster may have begun it a moment ago. */
async function found(
  campaigns: Campaigns,
  request: Request,
  response: Response,
  read: (id: string) => object | undefined,
): Promise<void> {
  const id = String(request.params.id);
  try {
    await campaigns.find(id);
  } catch (error) {
    const { status, headers, body } = problemAnswer(error);
    return void response.status(status).set(headers).json(body);
  }
  const answer = read(id);
  if (answer) return void response.json({ version: 1, ...answer });
  const { body } = problemAnswer(new VoicebotError('VB_REQUEST_INVALID', 'the runner knows no such campaign'));
  response.status(404).json(body);
}
