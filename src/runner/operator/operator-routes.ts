import { fileURLToPath } from 'node:url';
import { type Response, Router } from 'express';
import { VoicebotError } from '../../base/errors.js';
import type { RunnerStatus } from '../../call/runner-status.js';
import type { CallRegistry } from '../calls/life/call-registry.js';
import type { Campaigns } from '../campaigns/campaigns.js';
import type { RunnerAccess } from '../http/access.js';
import type { ShownElsewhere } from '../http/elsewhere.js';
import { mayPhone, type PhoneNetworkAccess } from '../http/phone-routes.js';
import { problemAnswer } from '../http/problem-answer.js';
import type { RunnerMetrics } from '../metrics/runner-metrics.js';
import { callRoutes, type OperatorHandler } from './call-routes.js';
import { campaignReads } from './campaign-reads.js';
import { EventSubscribers } from './event-subscriber.js';
import { localPage } from './local-page.js';
import { RunnerFeed } from './runner-feed.js';

export interface OperatorRoutesOptions {
  registry: CallRegistry;
  campaigns: Campaigns;
  /** Who may look at calls. */
  access: RunnerAccess;
  /** Bot processes that could take a call now. */
  readyBots: () => number;
  /** The calls of the other runners of the cluster; undefined where the runner is alone. */
  elsewhere?: ShownElsewhere | undefined;
  status: () => RunnerStatus;
  metrics: Pick<RunnerMetrics, 'answer'>;
  /** Where the folders of calls are. */
  stateDirectory: string;
  /** The phone network on this machine; undefined where there is none. */
  phoneNetwork?: PhoneNetworkAccess | undefined;
}

const ERRORS = fileURLToPath(new URL('../../../docs/errors.md', import.meta.url));

/** What operators on this machine, and those with the token, look at: the page, and all that it shows. */
export function operatorRoutes(options: OperatorRoutesOptions): Router {
  const { registry, campaigns, access, readyBots, elsewhere, status, metrics, stateDirectory, phoneNetwork } = options;
  const router = Router();
  const subscribers = new EventSubscribers();
  const feed = new RunnerFeed(registry, campaigns, status, elsewhere);
  const page = localPage();

  const get = (path: string, handle: OperatorHandler, isProbe = false) =>
    router.get(path, (request, response, next) => {
      if (isProbe ? access.allowsProbe(request) : access.allows(request)) {
        return void Promise.resolve(handle(request, response)).catch(next);
      }
      // Strangers do not learn what is here, except those who have a token and brought a wrong one.
      const hasToken = request.headers.authorization !== undefined;
      if (!hasToken && !access.isLocal(request)) return path === '/' ? refuseBrowser(response) : next();
      refuse(response, hasToken);
    });

  get('/', (_request, response) => response.set(page.headers).type('html').send(page.html), true);
  get('/health', (_request, response) => response.json({ version: 1, status: 'ok' }), true);
  const answerReady: OperatorHandler = (_request, response) => {
    const ready = readyBots();
    response.status(ready > 0 ? 200 : 503).json({ version: 1, readyBots: ready });
  };
  get('/ready', answerReady, true);
  get('/status', (_request, response) => response.json(status()));
  get('/metrics', (_request, response) => metrics.answer(response));
  // What the page shows of an error.
  get('/docs/errors.md', (_request, response) => response.type('text/plain').sendFile(ERRORS, { dotfiles: 'allow' }));
  get('/events', (_request, response) => {
    const subscriber = subscribers.add(response);
    if (subscriber) feed.add(subscriber);
  });
  const reads = { ...callRoutes({ registry, elsewhere, subscribers, stateDirectory }), ...campaignReads(campaigns) };
  for (const [path, handle] of Object.entries(reads)) get(path, handle);
  if (phoneNetwork) {
    get('/phone/numbers', (request, response) => {
      if (mayPhone(phoneNetwork, access, request)) response.json(numbersOf(phoneNetwork, status()));
      else response.status(404).end();
    });
  }
  return router;
}

/** What the page's phone may ring, and as whom. */
const numbersOf = (
  { number, callers, numbers, callees }: PhoneNetworkAccess,
  { transport, number: own }: RunnerStatus,
) => ({
  version: 1,
  transport,
  number: number ?? own,
  callers,
  numbers,
  callees,
});

function refuse(response: Response, hasToken: boolean): void {
  const why = hasToken ? "the token is not the runner's" : "programs on this machine need the runner's token too";
  const { status, headers, body } = problemAnswer(
    new VoicebotError('VB_UNAUTHORISED', why, { hint: "set VOICEBOT_TOKEN to the runner's token" }),
  );
  response.status(status).set(headers).json(body);
}

/** A person who opens the page from elsewhere sees that a token is wanted, and not by which program. */
const refuseBrowser = (response: Response) => void response.status(401).set('www-authenticate', 'Bearer').end();
