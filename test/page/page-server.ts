import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { silentLogger } from '../../src/base/logger.js';
import type { RunnerStatus } from '../../src/call/runner-status.js';
import type { TimelineEvent } from '../../src/call/timeline.js';
import { alone } from '../../src/runner/alone.js';
import { CallRegistry } from '../../src/runner/calls/life/call-registry.js';
import { RunnerCampaigns } from '../../src/runner/campaigns/runner-campaigns.js';
import { CalleeHours } from '../../src/runner/dialing/callee-hours.js';
import { NO_CALLING_RULES } from '../../src/runner/dialing/calling-rules.js';
import { RunnerAccess } from '../../src/runner/http/access.js';
import { operatorRoutes } from '../../src/runner/operator/operator-routes.js';
import type { MadeCall } from '../call/view/made-call.js';

export const PAGE_TOKEN = 'the-token-of-the-runner';

const STATUS: RunnerStatus = {
  version: 1,
  state: 'ready',
  botFile: 'bakery.ts',
  transport: 'carrier',
  isSandbox: false,
  standIns: false,
  number: '+12025550100',
  publicUrl: 'https://bot.example.com',
  readyBots: 1,
  liveCalls: 0,
  hasPhone: false,
  startedAt: Date.UTC(2026, 5, 3, 9, 0, 0),
};

export interface PageServerOptions {
  readonly port?: number;
  /** Local programs need no token. Default: true. */
  readonly isOpenLocally?: boolean;
  /** Default: an empty one of its own, removed at the end. */
  readonly stateDirectory?: string;
}

/** The operator's side of a runner whose calls the test makes up. */
export class PageServer implements AsyncDisposable {
  readonly registry = new CallRegistry();
  readonly stateDirectory: string;
  readonly campaigns: RunnerCampaigns;
  status: RunnerStatus = STATUS;
  /** Requests so far: method and address. */
  readonly requests: string[] = [];
  readonly #isOwnDirectory: boolean;
  #port: number | undefined;

  static async start({ port = 0, isOpenLocally = true, stateDirectory }: PageServerOptions = {}): Promise<PageServer> {
    const server = createServer();
    const started = new PageServer(server, isOpenLocally, stateDirectory);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return started;
  }

  private constructor(
    private readonly server: Server,
    isOpenLocally: boolean,
    stateDirectory?: string,
  ) {
    this.stateDirectory = stateDirectory ?? mkdtempSync(join(tmpdir(), 'voicebot-page-'));
    this.#isOwnDirectory = stateDirectory === undefined;
    const access = new RunnerAccess(PAGE_TOKEN, undefined, isOpenLocally);
    this.campaigns = new RunnerCampaigns({
      stateDirectory: this.stateDirectory,
      queueOf: alone.campaignQueue,
      botFile: 'bot.ts',
      registry: this.registry,
      access,
      dial: async () => {},
      checkTarget: async (to) => to,
      hours: new CalleeHours(NO_CALLING_RULES),
      ringSeconds: 45,
      logger: silentLogger,
    });
    const routes = operatorRoutes({
      campaigns: this.campaigns.campaigns,
      registry: this.registry,
      access,
      readyBots: () => this.status.readyBots,
      status: () => ({ ...this.status, liveCalls: this.registry.liveCount }),
      metrics: { answer: async (response) => void response.status(404).end() },
      stateDirectory: this.stateDirectory,
      phoneNetwork: undefined,
    });
    server.on('request', ({ method, url }) => this.requests.push(`${method} ${url}`));
    const app = express().disable('x-powered-by').use(this.campaigns.routes).use(routes);
    server.on(
      'request',
      app.use((_request, response) => void response.status(404).end()),
    );
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Also after it has stopped. */
  get port(): number {
    this.#port ??= (this.server.address() as AddressInfo).port;
    return this.#port;
  }

  /** Lets a made call begin in this runner, with what has happened in it so far. */
  begin({ record, events }: MadeCall): void {
    const { id, direction, from, to } = record;
    this.registry.open({ id, direction, from, to, state: 'ringing' });
    if (record.answeredAt !== undefined) this.registry.update(id, { state: 'starting', answeredAt: record.answeredAt });
    if (record.connectedAt !== undefined) this.registry.update(id, { state: 'connected' });
    this.happen({ record, events });
  }

  /** More happens in it. */
  happen({ record, events }: Pick<MadeCall, 'record' | 'events'>): void {
    const isNews = ({ type }: TimelineEvent) => type !== 'record';
    this.registry.timelines.receive(record.id, events.filter(isNews));
  }

  /** Drops all connections, and answers no more. */
  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
    await this.campaigns.campaigns.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.server.listening) await this.stop();
    if (this.#isOwnDirectory) rmSync(this.stateDirectory, { recursive: true, force: true });
  }
}
