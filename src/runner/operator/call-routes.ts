import { join } from 'node:path';
import type { Request, Response } from 'express';
import { asCallId, type CallId } from '../../call/call-id.js';
import { VoicebotError } from '../../errors.js';
import type { CallRegistry } from '../calls/call-registry.js';
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

/** What operators ask of single calls, by the address: the live ones, those of this run, and those that have left a folder. */
export function callRoutes(
  registry: CallRegistry,
  subscribers: EventSubscribers,
  stateDirectory: string,
): Readonly<Record<string, OperatorHandler>> {
  const kept = new KeptCalls(stateDirectory);
  const peaks = new PeakReader();
  const audioOf = async (id: CallId) => {
    const path = await kept.find(id);
    return path === undefined ? undefined : join(path, 'audio.wav');
  };
  return {
    '/calls': (_request, response) => response.json({ version: 1, calls: registry.list() }),
    '/folders': async (_request, response) => response.json({ version: 1, calls: await kept.list() }),
    '/calls/:id': (request, response) => {
      const record = registry.get(idOf(request));
      return record ? response.json(record) : refuse(response, 404, 'the runner knows no such call');
    },
    '/calls/:id/events': async (request, response) => {
      const id = idOf(request);
      const folder = await kept.read(id);
      if (!folder && !registry.get(id)) return refuse(response, 404, 'the runner knows no such call');
      const subscriber = subscribers.add(response);
      return subscriber && tellCall(subscriber, id, folder, { registry, kept });
    },
    '/calls/:id/audio.wav': async (request, response) => {
      const path = await audioOf(idOf(request));
      const recording = path === undefined ? undefined : await openRecording(path);
      return recording ? sendRecording(request, response, recording) : refuse(response, 404, NOT_RECORDED);
    },
    '/calls/:id/peaks': async (request, response) => {
      const count = countOf(request.query.count);
      if (count === undefined) return refuse(response, 400, `count is not a number from 1 to ${MOST_PIECES}`);
      const path = await audioOf(idOf(request));
      const found = path === undefined ? undefined : await peaks.read(path, count);
      return found ? response.json(found) : refuse(response, 404, NOT_RECORDED);
    },
  };
}

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
