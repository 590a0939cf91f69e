import express, { type Express, type NextFunction, type Request, type Response, type Router } from 'express';
import { asCallId } from '../call/call-id.js';
import { VoicebotError } from '../errors.js';
import type { Logger } from '../logger.js';
import type { CallRegistry } from './calls/call-registry.js';
import type { RunnerAccess } from './http/access.js';
import { localPage, type RunnerStatus } from './http/local-page.js';
import { problemAnswer } from './http/problem-answer.js';

export interface HttpRoutesOptions {
  /** What the provider calls. */
  provider: Router;
  /** What this runner asks itself over its public address. */
  reach: Router;
  /** `POST /start`. */
  start: Router;
  registry: CallRegistry;
  /** Who may look at calls. */
  access: RunnerAccess;
  /** Bot processes that could take a call now. */
  readyBots: () => number;
  status: () => RunnerStatus;
  logger: Logger;
}

/** The runner's HTTP side: what the provider calls, and what operators on this machine look at. */
export function createHttpRoutes({
  provider,
  reach,
  start,
  registry,
  access,
  readyBots,
  status,
  logger,
}: HttpRoutesOptions): Express {
  const app = express().disable('x-powered-by').disable('etag');
  app.use(provider);
  app.use(reach);
  app.use(start);

  const operator = (path: string, handle: (request: Request, response: Response) => void, isProbe = false) =>
    app.get(path, (request, response, next) => {
      if (isProbe ? access.allowsProbe(request) : access.allows(request)) return handle(request, response);
      // Strangers do not learn what is here, except those who have a token and brought a wrong one.
      const hasToken = request.headers.authorization !== undefined;
      if (!hasToken && !access.isLocal(request)) return next();
      const why = hasToken ? "the token is not the runner's" : "programs on this machine need the runner's token too";
      const { status, headers, body } = problemAnswer(
        new VoicebotError('VB_UNAUTHORISED', why, { hint: "set VOICEBOT_TOKEN to the runner's token" }),
      );
      response.status(status).set(headers).json(body);
    });
  const page = localPage();
  operator('/', (_request, response) => void response.set(page.headers).type('html').send(page.html), true);
  operator('/status', (_request, response) => void response.json(status()));
  operator('/health', (_request, response) => void response.json({ version: 1, status: 'ok' }), true);
  const answerReady = (_request: Request, response: Response) => {
    const ready = readyBots();
    response.status(ready > 0 ? 200 : 503).json({ version: 1, readyBots: ready });
  };
  operator('/ready', answerReady, true);
  operator('/calls', (_request, response) => void response.json({ version: 1, calls: registry.list() }));
  operator('/calls/:id', (request, response) => {
    const record = registry.get(asCallId(String(request.params.id)));
    if (record) return void response.json(record);
    const unknown = new VoicebotError('VB_REQUEST_INVALID', 'the runner knows no such call');
    response.status(404).json(problemAnswer(unknown).body);
  });

  app.use((_request, response) => void response.status(404).end());
  app.use((error: Error & { status?: number }, request: Request, response: Response, _next: NextFunction) => {
    const status = error.status ?? 500;
    if (status >= 500) logger.error('request failed', { path: request.path, error });
    response.status(status).end();
  });
  return app;
}
