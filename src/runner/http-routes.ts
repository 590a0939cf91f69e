import express, { type Express, type NextFunction, type Request, type Response, type Router } from 'express';
import type { Logger } from '../base/logger.js';
import { phoneRoutes } from './http/phone-routes.js';
import { type OperatorRoutesOptions, operatorRoutes } from './operator/operator-routes.js';

export interface HttpRoutesOptions extends OperatorRoutesOptions {
  /** What the provider calls. */
  provider: Router;
  /** What the other runners of the cluster ask; undefined when there are none. */
  peers?: Router | undefined;
  /** What this runner asks itself over its public address. */
  reach: Router;
  /** `POST /start`. */
  start: Router;
  /** `POST /calls/:id/typed`. */
  typed: Router;
  /** `POST /campaigns` and what is below it. */
  campaign: Router;
  logger: Logger;
}

/** The runner's HTTP side: what the provider calls, and what operators on this machine look at. */
export function createHttpRoutes({
  provider,
  peers,
  reach,
  start,
  typed,
  campaign,
  logger,
  ...operator
}: HttpRoutesOptions): Express {
  const app = express().disable('x-powered-by').disable('etag');
  app.use(provider);
  if (peers) app.use(peers);
  app.use(reach);
  app.use(start);
  app.use(typed);
  app.use(campaign);
  app.use(operatorRoutes(operator));
  app.use(phoneRoutes({ network: operator.phoneNetwork, access: operator.access, logger }));

  app.use((_request, response) => void response.status(404).end());
  app.use((error: Error & { status?: number }, request: Request, response: Response, _next: NextFunction) => {
    const status = error.status ?? 500;
    if (status >= 500) logger.error('request failed', { path: request.path, error });
    response.status(status).end();
  });
  return app;
}
