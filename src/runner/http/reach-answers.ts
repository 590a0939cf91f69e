import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import express, { type Router } from 'express';
import { WebSocketServer } from 'ws';
import { PROBE_PATH, type ReachProbe } from '../tunnel/reach-probe.js';
import { isPhoneUpgrade } from './phone-upgrades.js';
import { refuseUpgrade } from './refuse-upgrade.js';

/** Answers what this runner asks itself over its public address; anybody else's question has no answer here. */
export function reachRoute(probe: ReachProbe): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get(`${PROBE_PATH}:id`, (request, response, next) => {
    const answer = probe.answerTo(request.path);
    if (answer === undefined) return next();
    response.type('text').set('cache-control', 'no-store').send(answer);
  });
  return router;
}

/**
 * The same over a WebSocket, which sends the answer as its only message.
 * @param refusesOthers only phones take upgrades beside it on this server
 */
export function answerReachUpgrades(server: Server, probe: ReachProbe, refusesOthers: boolean): void {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 1_024 });
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    if (!isReachProbe(request) && (!refusesOthers || isPhoneUpgrade(request))) return;
    stream.on('error', () => {});
    const answer = probe.answerTo(request.url ?? '');
    if (answer === undefined) {
      refuseUpgrade(stream, '404 Not Found');
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      socket.on('error', () => {});
      socket.send(answer);
      socket.close(1_000);
    });
  });
}

export function isReachProbe({ url }: IncomingMessage): boolean {
  return url?.startsWith(PROBE_PATH) === true;
}
