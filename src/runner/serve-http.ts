import type { Server } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Logger } from '../base/logger.js';
import type { RunnerStatus } from '../call/runner-status.js';
import type { CallRegistry } from './calls/life/call-registry.js';
import type { Supervisors } from './calls/life/supervisors.js';
import type { ProviderAdapter } from './calls/provider-adapter.js';
import { RunnerCampaigns } from './campaigns/runner-campaigns.js';
import type { Coordination, OtherRunners } from './coordination.js';
import type { CalleeHours } from './dialing/callee-hours.js';
import type { RequestsOnce } from './dialing/idempotent-requests.js';
import type { StartedCall, StartRequest } from './dialing/start-request.js';
import type { RunnerAccess } from './http/access.js';
import type { ConnectionGuard } from './http/connection-guard.js';
import { type PhoneNetworkAccess, phoneRoutes } from './http/phone-routes.js';
import { PhoneUpgrades } from './http/phone-upgrades.js';
import { answerReachUpgrades, reachRoute } from './http/reach-answers.js';
import type { RefusalLog } from './http/refusal-log.js';
import { startRoute } from './http/start-route.js';
import { typedRoute } from './http/typed-route.js';
import type { RunnerMetrics } from './metrics/runner-metrics.js';
import { operatorRoutes } from './operator/operator-routes.js';
import type { RunnerOptions } from './runner-options.js';
import type { ReachProbe } from './tunnel/reach-probe.js';

/** The parts of a runner that answer, or that answers tell of. */
export interface AnsweringParts {
  readonly adapter: ProviderAdapter;
  readonly supervisors: Supervisors;
  /** Undefined where the page has no phone. */
  readonly phoneNetwork: PhoneNetworkAccess | undefined;
  readonly guard: ConnectionGuard;
  readonly refusals: RefusalLog;
  readonly access: RunnerAccess;
  readonly dial: (request: StartRequest) => Promise<StartedCall>;
  readonly requests: RequestsOnce<StartedCall>;
  /** Of numbers that are dialled later. */
  readonly checkContact: (to: string, field: string) => Promise<string>;
  /** When people may be called. */
  readonly hours: CalleeHours;
  /** What a program that dials should know about this runner. */
  readonly warnings: readonly string[];
  readonly probe: ReachProbe;
  readonly registry: CallRegistry;
  readonly coordination: Coordination;
  /** Undefined for a runner that is alone. */
  readonly others: OtherRunners | undefined;
  readonly metrics: RunnerMetrics;
  /** Bot processes that could take a call now. */
  readonly readyBots: () => number;
  readonly status: () => RunnerStatus;
  readonly logger: Logger;
}

/** What has to be closed of it. */
export interface ServedHttp {
  readonly campaigns: RunnerCampaigns;
  readonly phones: PhoneUpgrades;
}

/** Answers what comes to a runner over HTTP, from the provider, the other runners, applications and operators. */
export function serveHttp(server: Server, options: RunnerOptions, parts: AnsweringParts): ServedHttp {
  const { adapter, access, dial, requests, checkContact, hours, warnings, probe, registry, others, logger } = parts;
  const elsewhere = others?.shown;
  const campaigns = new RunnerCampaigns({
    ...options,
    registry,
    access,
    dial,
    hours,
    checkTarget: checkContact,
    queueOf: (queue) => parts.coordination.campaignQueue(queue),
    outcomes: others?.outcomes,
    logger,
  });
  const { stateDirectory, provider } = options;
  const { phoneNetwork, guard, refusals } = parts;
  const app = express().disable('x-powered-by').disable('etag');
  if (others) app.use(others.routes);
  app.use(adapter.routes);
  app.use(reachRoute(probe));
  app.use(startRoute({ access, dial, requests, warnings, logger }));
  app.use(typedRoute({ access, elsewhere, registry, supervisor: parts.supervisors, logger }));
  app.use(campaigns.routes);
  app.use(operatorRoutes({ ...parts, elsewhere, stateDirectory, campaigns: campaigns.campaigns }));
  app.use(phoneRoutes({ network: phoneNetwork, access, logger }));
  refuseTheRest(app, logger);
  server.on('request', app);
  answerReachUpgrades(server, probe, provider.kind === 'rooms');
  return { campaigns, phones: new PhoneUpgrades(server, { network: phoneNetwork, access, guard, refusals }) };
}

function refuseTheRest(app: Express, logger: Logger): void {
  app.use((_request, response) => void response.status(404).end());
  app.use((error: Error & { status?: number }, request: Request, response: Response, _next: NextFunction) => {
    const status = error.status ?? 500;
    if (status >= 500) logger.error('request failed', { path: request.path, error });
    response.status(status).end();
  });
}
