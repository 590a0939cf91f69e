import type { IncomingMessage } from 'node:http';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import { encodeWav } from '../../base/audio/wav.js';
import type { Logger } from '../../base/logger.js';
import type { NotedNumber } from '../../call/phone-number.js';
import type { RunnerAccess } from './access.js';
import { admitJson, rawBody, requestProblem } from './json-request.js';
import { MAX_TEXT_REQUEST_BYTES, textOf, textTooLarge } from './text-request.js';

/** The phone network on this machine, as far as the page's phone needs it. */
export interface PhoneNetworkAccess {
  /**
   * WebSocket address at which a phone attaches itself, with the network's token in it.
   * @throws VoicebotError when the network could not be started
   */
  readonly address: () => Promise<string>;
  /** Only pages that are opened on this machine have a phone, whatever token others bring. */
  readonly isLocalOnly: boolean;
  /** What the phone rings, E.164. Default: the bot's own. */
  readonly number?: string | undefined;
  /** Numbers to ring from. */
  readonly callers: readonly NotedNumber[];
  /** Numbers of the account: to ring at. */
  readonly numbers: readonly NotedNumber[];
  /** Numbers that the bot may call. */
  readonly callees: readonly NotedNumber[];
  /**
   * Says a text for a person who has no microphone.
   * @returns mono, 8000 Hz
   * @throws VoicebotError VB_CONFIG_INVALID when there is no voice on this machine
   */
  readonly speak: (text: string) => Promise<Int16Array>;
}

export interface PhoneRoutesOptions {
  /** Undefined where there is no phone to speak into. */
  network: PhoneNetworkAccess | undefined;
  access: RunnerAccess;
  logger: Logger;
}

/** Whether a page may have a phone that asks so. Whether it brings the runner's token is another question. */
export const mayPhone = (network: PhoneNetworkAccess, access: RunnerAccess, request: IncomingMessage): boolean =>
  !network.isLocalOnly || access.isLocal(request);

/** Longest text, in characters. */
const MAX_TEXT = 500;
const PHONE_RATE = 8_000;

/** `POST /phone/speech { text }`: the text spoken, a WAV file of 16 bits at 8000 Hz. Not there without a phone network. */
export function phoneRoutes({ network, access, logger }: PhoneRoutesOptions): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  if (!network) return router;
  router.use('/phone/speech', (request, _response, next) =>
    next(mayPhone(network, access, request) ? undefined : 'router'),
  );
  router.post('/phone/speech', admitJson(access), rawBody(MAX_TEXT_REQUEST_BYTES), async (request, response) => {
    const channels = [await network.speak(textOf(request, MAX_TEXT))];
    const wav = encodeWav({ sampleRate: PHONE_RATE, channels, encoding: 'L16' });
    response.type('audio/wav').set('cache-control', 'no-store').send(Buffer.from(wav));
  });
  router.use('/phone/speech', (thrown: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const { error, status, headers, body } = requestProblem(thrown, textTooLarge);
    if (status === 500) logger.error('a text could not be spoken', { error });
    response.set(headers).status(status).json(body);
  });
  return router;
}
