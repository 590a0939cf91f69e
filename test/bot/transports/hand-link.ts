import type { WebSocket } from 'ws';
import { type Deferred, deferred } from '../../../src/base/async/deferred.js';
import type { BotEndReason } from '../../../src/call/call.js';
import { type LinkedOutcome, linkRunner, type StreamRunnerLink } from '../../../src/call/runner-link.js';
import type { FailedTransfer } from '../../../src/call/transfer-outcome.js';
import { until } from './start-pipeline.js';

/** A runner that does what a test tells it: it notes every transfer and settles it when told to. */
export class HandLink implements StreamRunnerLink {
  /** The numbers asked for. */
  readonly asked: string[] = [];
  /** What the bot has said it ends the call for. */
  readonly endings: BotEndReason[] = [];
  failedTransfer: FailedTransfer | undefined;
  /** Called at the moment of each request. */
  onAsked = () => {};
  /** Called when the bot has said what it ends the call for. */
  onEnding = () => {};
  #accepted: Deferred<{ outcome: Promise<LinkedOutcome> }> = deferred();
  #outcome: Deferred<LinkedOutcome> = deferred();

  constructor(websocket: WebSocket) {
    linkRunner({ websocket }, this);
  }

  transfer(to: string): Promise<{ readonly outcome: Promise<LinkedOutcome> }> {
    this.#accepted = deferred();
    this.#outcome = deferred();
    this.asked.push(to);
    this.onAsked();
    return this.#accepted.promise;
  }

  endsFor(reason: BotEndReason): void {
    this.endings.push(reason);
    this.onEnding();
  }

  cannotRead(): void {}

  /** Resolves when the transport has asked `times` times. */
  async isAsked(times = 1): Promise<void> {
    await until(() => this.asked.length >= times, `${times} transfers asked for`);
  }

  accept(): void {
    this.#accepted.resolve({ outcome: this.#outcome.promise });
  }

  refuse(error: Error): void {
    this.#accepted.reject(error);
  }

  settle(outcome: LinkedOutcome): void {
    this.#outcome.resolve(outcome);
  }

  lose(error: Error): void {
    this.#outcome.reject(error);
  }
}
