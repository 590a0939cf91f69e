import express, { type Request, type Response, type Router } from 'express';
import { asCallId } from '../../call/call-id.js';
import type { CallSharing } from './call-sharing.js';
import { MISDIRECTED } from './peer-client.js';

/**
 * What the runners of a cluster ask each other, each request signed; anybody else finds nothing here. What is meant for a runner that had this
 * one's address before is refused, whatever it asks for: it is gone.
 */
export function peerRoutes(sharing: CallSharing): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use((request, response, next) => {
    if (sharing.isForAnother(asSent(request))) response.status(MISDIRECTED).end();
    else next();
  });
  const post = (path: string, answer: (request: Request, response: Response) => unknown) => {
    router.post(path, (request, response, next) => {
      if (!sharing.isFromPeer(asSent(request))) {
        next();
        return;
      }
      express.json({ limit: '1mb' })(request, response, (problem: unknown) => {
        if (problem) next(problem);
        else void Promise.resolve(answer(request, response)).catch(next);
      });
    });
  };
  const idOf = (request: Request) => asCallId(String(request.params.id));

  post('/cluster/ping', (_request, response) => response.json({ version: 1 }));
  post('/cluster/calls/:id/has', (request, response) =>
    response.status(sharing.isLive(idOf(request)) ? 200 : 404).end(),
  );
  post('/cluster/calls/:id/give', (request, response) => {
    const given = sharing.give(idOf(request), String(request.body?.token ?? ''));
    if (given === 'waits_here') response.status(409).end();
    else if (given) response.json(given);
    else response.status(404).end();
  });
  post('/cluster/calls/:id/take', async (request, response) => {
    const isTaken = await sharing.receive(idOf(request), String(request.body?.from ?? ''));
    response.status(isTaken ? 200 : 409).end();
  });
  return router;
}

/** What its sender has signed: Express takes off `url` what has been matched. */
const asSent = ({ headers, method, originalUrl: url }: Request) => ({ headers, method, url });
