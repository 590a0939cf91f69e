import type { Server } from 'node:http';
import type { Logger } from '../base/logger.js';
import type { RunnerStatus } from '../call/runner-status.js';
import type { ClusterSide } from '../cluster/cluster-side.js';
import type { CallRegistry } from './calls/life/call-registry.js';
import type { ProviderAdapter } from './calls/provider-adapter.js';
import { RunnerCampaigns } from './campaigns/runner-campaigns.js';
import type { RequestsOnce } from './dialing/idempotent-requests.js';
import type { StartedCall, StartRequest } from './dialing/start-request.js';
import type { RunnerAccess } from './http/access.js';
import { answerReachUpgrades, reachRoute } from './http/reach-answers.js';
import { startRoute } from './http/start-route.js';
import { typedRoute } from './http/typed-route.js';
import { createHttpRoutes } from './http-routes.js';
import type { RunnerMetrics } from './metrics/runner-metrics.js';
import type { RunnerOptions } from './runner-options.js';
import type { ReachProbe } from './tunnel/reach-probe.js';

/** The parts of a runner that answer, or that answers tell of. */
export interface AnsweringParts {
  readonly adapter: ProviderAdapter;
  readonly access: RunnerAccess;
  readonly dial: (request: StartRequest) => Promise<StartedCall>;
  readonly requests: RequestsOnce<StartedCall>;
  readonly checkTarget: (to: string, field: string) => Promise<string>;
  /** What whoever dials should know about this runner. */
  readonly warnings: readonly string[];
  readonly probe: ReachProbe;
  readonly registry: CallRegistry;
  /** Undefined for a runner that is alone. */
  readonly cluster: ClusterSide | undefined;
  readonly metrics: RunnerMetrics;
  /** Bot processes that could take a call now. */
  readonly readyBots: () => number;
  readonly status: () => RunnerStatus;
  readonly logger: Logger;
}

/** Answers what comes to a runner over HTTP, from the provider, the other runners, applications and operators. @returns its campaigns */
export function serveHttp(server: Server, options: RunnerOptions, parts: AnsweringParts): RunnerCampaigns {
  const { adapter, access, dial, requests, checkTarget, warnings, probe, registry, cluster, logger } = parts;
  const elsewhere = cluster?.calls;
  const { outcomes } = cluster ?? {};
  const campaigns = new RunnerCampaigns({ ...options, registry, access, dial, checkTarget, outcomes, logger });
  const routes = {
    provider: adapter.routes,
    peers: cluster?.routes,
    reach: reachRoute(probe),
    start: startRoute({ access, dial, requests, warnings, logger }),
    typed: typedRoute({ access, elsewhere, registry, supervisor: adapter.supervisor, logger }),
    campaign: campaigns.routes,
  };
  const { stateDirectory, phoneNetwork, provider } = options;
  const shown = { ...parts, elsewhere, stateDirectory, phoneNetwork, campaigns: campaigns.campaigns };
  server.on('request', createHttpRoutes({ ...shown, ...routes }));
  answerReachUpgrades(server, probe, provider.kind === 'rooms');
  return campaigns;
}
