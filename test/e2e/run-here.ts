import { BotPool } from '../../src/runner/bots/bot-pool.js';
import type { RunningCommand } from '../cli/in-process.js';
import type { CliEvent } from './voicebot.js';

export interface EndedRun {
  readonly exitCode: number | null;
  readonly events: CliEvent[];
  /** What people were shown. */
  readonly told: string;
}

/**
 * `voicebot run` inside this process: for what depends on no process of its own. Its bots count as loaded, and none is started; a
 * signal reaches everything in this process that listens to it, so one such run is open at a time.
 */
export class RunHere implements AsyncDisposable {
  readonly ended: Promise<EndedRun>;
  #isOver = false;
  readonly #loading = [
    jest.spyOn(BotPool.prototype, 'start').mockResolvedValue(),
    jest.spyOn(BotPool.prototype, 'replace').mockResolvedValue(),
  ];

  /** @param start starts it, with `--json` */
  constructor(start: () => RunningCommand) {
    const running = start();
    this.shown = running.shown;
    this.ended = running.finished.then(({ exitCode, events, stderr }) => {
      this.#isOver = true;
      for (const spy of this.#loading) spy.mockRestore();
      return { exitCode, events: events as CliEvent[], told: stderr };
    });
  }

  /** Resolves when it has written this. */
  readonly shown: (text: string) => Promise<void>;

  ready(): Promise<void> {
    return this.shown('"event":"ready"');
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.#isOver) process.emit(signal, signal);
  }

  /** Tells it to leave at once, unless it has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.signal('SIGINT');
    this.signal('SIGINT');
    await this.ended;
  }
}
