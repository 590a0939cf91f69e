import type { Request, Response } from 'express';
import type { Campaigns } from '../../campaign/campaigns.js';
import { VoicebotError } from '../../errors.js';
import { problemAnswer } from '../http/problem-answer.js';
import type { OperatorHandler } from './call-routes.js';

/** What operators ask of campaigns, by the address. */
export const campaignReads = (campaigns: Campaigns): Readonly<Record<string, OperatorHandler>> => ({
  '/campaigns': (_request, response) => response.json({ version: 1, campaigns: campaigns.list() }),
  '/campaigns/:id': (request, response) => {
    const campaign = campaigns.progress(idOf(request));
    return campaign ? response.json({ version: 1, campaign }) : refuse(response);
  },
  '/campaigns/:id/results': (request, response) => {
    const results = campaigns.results(idOf(request));
    return results ? response.json({ version: 1, results }) : refuse(response);
  },
});

const idOf = (request: Request) => String(request.params.id);

function refuse(response: Response): void {
  const { body } = problemAnswer(new VoicebotError('VB_REQUEST_INVALID', 'the runner knows no such campaign'));
  response.status(404).json(body);
}
