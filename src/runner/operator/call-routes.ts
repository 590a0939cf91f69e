import { join } from 'node:path';
import type { Request, Response } from 'express';
import { VoicebotError } from '../../base/errors.js';
import { asCallId, type CallId } from '../../call/call-id.js';
import type { CallRegistry } from '../calls/life/call-registry.js';
import type { ShownElsewhere } from '../http/elsewhere.js';
import { problemAnswer } from '../http/problem-answer.js';
import { tellCall } from './call-feed.js';
import type { EventSubscribers } from './event-subscriber.js';
import { KeptCalls } from './kept-calls.js';
import { PeakReader } from './peaks.js';
import { openRecording, sendRecording } from './recorded-audio.js';

/** Answers a request that may be answered. */
export type OperatorHandler = (request: Request, response: Response) => unknown;

/** Pieces of a waveform. */
const DEFAULT_PIECES = 2_000;
const MOST_PIECES = 100_000;

export interface CallRoutesOptions {
  readonly registry: CallRegistry;
  /** The calls of the other runners of the cluster; undefined where the runner is alone. */
  readonly elsewhere?: ShownElsewhere | undefined;
  readonly subscribers: EventSubscribers;
  readonly stateDirectory: string;
}

/**
 * What operators ask of single calls, by the address: the live ones, those of this run, and those that have left a folder. In a cluster
 * those of all runners: what another one has of a call it is asked for.
 */
export function callRoutes({
  registry,
  elsewhere,
  subscribers,
  stateDirectory,
}: CallRoutesOptions): Readonly<Record<string, OperatorHandler>> {
  const kept = new KeptCalls(stateDirectory);
  const peaks = new PeakReader();
  const audioOf = async (id: CallId) => {
    const path = await kept.find(id);
    return path === undefined ? undefined : join(path, 'audio.wav');
  };
  /** Has the runner answer that has the call. */
  const fromOwner =
    (answer: OperatorHandler): OperatorHandler =>
    async (request, response) => {
      const id = idOf(request);
      if (!elsewhere || registry.get(id) || isFromPeer(elsewhere, request)) return answer(request, response);
      const found = await elsewhere.find(id);
      if (found && (await elsewhere.passOn(found, request, response))) return undefined;
      const isElsewhere = found?.machine !== undefined && (await kept.find(id)) === undefined;
      if (isElsewhere) return refuse(response, 404, `the call is one of ${found.machine}, whose runner is not there`);
      return answer(request, response);
    };
  return {
    '/calls': async (_request, response) => {
      if (!elsewhere) return response.json({ version: 1, calls: registry.list() });
      return response.json({ version: 1, ...(await elsewhere.list()) });
    },
    '/folders': async (_request, response) => response.json({ version: 1, calls: await kept.list() }),
    '/calls/:id': async (request, response) => {
      const id = idOf(request);
      const own = registry.get(id);
      const record = own ? (elsewhere?.place(own) ?? own) : await elsewhere?.find(id);
      return record ? response.json(record) : refuse(response, 404, 'the runner knows no such call');
    },
    '/calls/:id/events': fromOwner(async (request, response) => {
      const id = idOf(request);
      const folder = await kept.read(id);
      if (!folder && !registry.get(id)) return refuse(response, 404, 'the runner knows no such call');
      const subscriber = subscribers.add(response);
      return subscriber && tellCall(subscriber, id, folder, { registry, kept });
    }),
    '/calls/:id/audio.wav': fromOwner(async (request, response) => {
      const path = await audioOf(idOf(request));
      const recording = path === undefined ? undefined : await openRecording(path);
      return recording ? sendRecording(request, response, recording) : refuse(response, 404, NOT_RECORDED);
    }),
    '/calls/:id/peaks': fromOwner(async (request, response) => {
      const count = countOf(request.query.count);
      if (count === undefined) return refuse(response, 400, `count is not a number from 1 to ${MOST_PIECES}`);
      const path = await audioOf(idOf(request));
      const found = path === undefined ? undefined : await peaks.read(path, count);
      return found ? response.json(found) : refuse(response, 404, NOT_RECORDED);
    }),
  };
}

/** A request that has been passed on once goes no further. */
const isFromPeer = (elsewhere: ShownElsewhere, { headers, method, originalUrl: url }: Request) =>
  elsewhere.isFromPeer({ headers, method, url });

const NOT_RECORDED = 'there is no recording of such a call';

const idOf = (request: Request): CallId => asCallId(String(request.params.id));

function countOf(value: unknown): number | undefined {
  if (value === undefined) return DEFAULT_PIECES;
  const count = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : 0;
  return count >= 1 && count <= MOST_PIECES ? count : undefined;
}

function refuse(response: Response, status: number, why: string): void {
  response.status(status).json(problemAnswer(new VoicebotError('VB_REQUEST_INVALID', why)).body);
}
