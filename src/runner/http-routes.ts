import { fileURLToPath } from 'node:url';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { AnswerStep, Carrier, CarrierWebhook } from '../carriers/contract.js';
import type { Logger } from '../logger.js';
import type { CallControl } from './call-control.js';
import type { CallRegistry } from './call-registry.js';
import { isLocalRequest } from './local-request.js';
import type { WebhookAddresses } from './webhook-addresses.js';

/** Largest webhook body, in bytes. */
const MAX_BODY_BYTES = 64 * 1_024;
const ASSETS = fileURLToPath(new URL('../../assets/', import.meta.url));

export interface HttpRoutesOptions {
  carrier: Carrier;
  authToken: string;
  addresses: WebhookAddresses;
  calls: CallControl;
  registry: CallRegistry;
  /** Bot processes that could take a call now. */
  readyBots: () => number;
  /** Accept webhooks without a signature. */
  insecure: boolean;
  logger: Logger;
}

type KnownCallWebhook = CarrierWebhook & { callId: string };

/** The runner's HTTP side: what the carrier calls, and what operators on this machine look at. */
export function createHttpRoutes(options: HttpRoutesOptions): Express {
  const { carrier, calls, registry, addresses, logger } = options;
  const app = express().disable('x-powered-by').disable('etag');

  const webhook = (path: string, handle: (webhook: KnownCallWebhook) => AnswerStep[] | Promise<AnswerStep[]>) => {
    const answer = async (request: Request, response: Response) => {
      const received = readWebhook(request, options);
      if (received === 'forged') {
        logger.warn('webhook refused: bad signature', {
          path,
          method: request.method,
          hint: 'is CARRIER_AUTH_TOKEN the token of the account that owns the number, and the public URL the registered one?',
        });
        response.status(403).end();
      } else if (received === 'unusable') {
        response.status(400).type('text').send('CallUUID is missing or not of the expected form\n');
      } else {
        response.type('application/xml').send(carrier.answerDocument(await settle(received, handle)));
      }
    };
    app
      .route(path)
      .get(answer)
      .post(express.raw({ type: () => true, limit: MAX_BODY_BYTES }), answer)
      .all((_request, response) => void response.status(405).set('allow', 'GET, POST').end());
  };
  /** A caller whose document we fail to make hears the recorded line, not the carrier's own error. */
  const settle = async (
    received: KnownCallWebhook,
    handle: (webhook: KnownCallWebhook) => AnswerStep[] | Promise<AnswerStep[]>,
  ): Promise<AnswerStep[]> => {
    try {
      return await handle(received);
    } catch (error) {
      logger.error('webhook failed', { callId: received.callId, event: received.event, error });
      return [{ do: 'play', url: addresses.apologyUrl }, { do: 'hangup' }];
    }
  };
  const hangup = (received: KnownCallWebhook): AnswerStep[] => {
    calls.hangup(received);
    return [];
  };

  // A carrier whose hang-up address is unset calls the answer address again, so the event decides.
  webhook('/answer', (received) => (received.event === 'hangup' ? hangup(received) : calls.answer(received)));
  webhook('/resume', (received) => (received.event === 'hangup' ? hangup(received) : calls.resume(received)));
  webhook('/hangup', (received) => (received.event === 'hangup' ? hangup(received) : []));
  webhook('/stream-status', ({ callId, streamProblem }) => {
    if (streamProblem) logger.warn('the carrier lost the media stream', { callId, streamProblem });
    return [];
  });
  app.get('/prompts/apology.wav', (_request, response) => response.sendFile('apology.wav', { root: ASSETS }));

  const operator = (path: string, handle: (request: Request, response: Response) => void) =>
    app.get(path, (request, response, next) => (isLocalRequest(request) ? handle(request, response) : next()));
  operator('/health', (_request, response) => void response.json({ version: 1, status: 'ok' }));
  operator('/ready', (_request, response) => {
    const readyBots = options.readyBots();
    response.status(readyBots > 0 ? 200 : 503).json({ version: 1, readyBots });
  });
  operator('/calls', (_request, response) => void response.json({ version: 1, calls: registry.list() }));
  operator('/calls/:id', (request, response) => {
    const record = registry.get(String(request.params.id));
    response.status(record ? 200 : 404).json(record ?? { version: 1, error: 'no such call' });
  });

  app.use((_request, response) => void response.status(404).end());
  app.use((error: Error & { status?: number }, request: Request, response: Response, _next: NextFunction) => {
    const status = error.status ?? 500;
    if (status >= 500) logger.error('request failed', { path: request.path, error });
    response.status(status).end();
  });
  return app;
}

function readWebhook(request: Request, options: HttpRoutesOptions): KnownCallWebhook | 'forged' | 'unusable' {
  const { carrier, authToken, addresses, insecure } = options;
  const form = Buffer.isBuffer(request.body) ? [...new URLSearchParams(request.body.toString('utf8'))] : [];
  const url = addresses.of(request.originalUrl);
  const { method, headers } = request;
  if (!insecure && !carrier.verifyWebhook({ method, url, form, headers }, authToken)) return 'forged';
  const query = new URL(url).searchParams;
  const webhook = carrier.parseWebhook(new Map([...query, ...form]));
  return webhook.callId === undefined ? 'unusable' : { ...webhook, callId: webhook.callId };
}
