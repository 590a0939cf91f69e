import { setMaxListeners } from 'node:events';
import { botFileOf } from '../../assembly/create-runner.js';
import { type Deferred, deferred } from '../../base/async/deferred.js';
import type { Config } from '../../config/config.js';
import { BotWatch } from '../../runner/bots/bot-watch.js';
import type { CliContext } from '../../terminal/context.js';
import type { Hotkeys } from '../../terminal/hotkeys.js';
import type { Output } from '../../terminal/output.js';
import { type Choice, type Chosen, NoScenario } from './choose-scenarios.js';
import type { Contents, ScenarioParts } from './scenario-files.js';
import { ScenariosInvalid } from './scenarios-invalid.js';
import { shownPath } from './shown-path.js';
import type { NameFilter } from './test-filters.js';
import type { TestRound } from './test-round.js';
import { TouchedScenarios } from './touched-scenarios.js';
import { startWatchKeys } from './watch-keys.js';

/** What is run next: all scenarios, those that failed, or those that saved files touch. */
type Wish = 'all' | 'failed' | { readonly changed: ReadonlySet<string> };

/** Tests, and again whenever a bot, a scenario, or a file that one of them needs is saved, or a key is pressed, until a signal comes. */
export async function watchScenarios(
  round: TestRound,
  config: Config,
  context: CliContext,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const watch = new ScenarioWatch(round, config, context, output);
  try {
    await watch.run(signal);
  } finally {
    watch.close();
  }
}

class ScenarioWatch {
  readonly #watch = new BotWatch(undefined, (path) => this.#touched.contentNow(path));
  readonly #keys: Hotkeys | undefined;
  readonly #staysAlive = setInterval(() => {}, 2 ** 30); // watching alone would not keep the process
  #wish: Wish | undefined;
  #lastWish: Wish = 'all';
  /** What could not be tested, since files of scenarios were not valid. */
  #unmet: Wish | undefined;
  /** Resolves when there is a wish. */
  #wished: Deferred<void> = deferred();
  /** In place of the names that were asked for on the command line. */
  #names: NameFilter | undefined;
  #touched: TouchedScenarios;
  /** Saved, and not tested since. */
  readonly #pending = new Set<string>();
  /** The calls that go on. */
  #going: { readonly abort: AbortController; readonly over: Promise<void> } | undefined;
  /** While the user is asked something, nothing else is written. */
  #asking: Promise<void> = Promise.resolve();

  constructor(
    private readonly round: TestRound,
    private readonly config: Config,
    private readonly context: CliContext,
    private readonly output: Output,
  ) {
    this.#touched = this.#nothingRead();
    this.#wish = round.request.choice.isFailed ? 'failed' : 'all';
    this.#keys = startWatchKeys(
      {
        runAll: () => {
          this.#names = undefined;
          this.#want('all');
        },
        runFailed: () => this.#want('failed'),
        runAgain: () => this.#want(this.#lastWish),
        chooseNames: (ask) => this.#chooseNames(ask),
      },
      context,
      output,
    );
    this.#watch.on('change', (_file, _noticedAt, seen) => this.#changed(seen));
  }

  close(): void {
    clearInterval(this.#staysAlive);
    this.#watch.close();
    this.#keys?.close();
  }

  async run(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }));
    while (!signal.aborted) {
      const wish = this.#takeWish();
      if (wish) await this.#test(wish, signal);
      await this.#asking;
      if (signal.aborted || this.#wish) continue;
      this.#watch.follow(this.#touched.known);
      const keys = this.#keys ? 'h shows the keys' : 'Ctrl+C ends';
      if (!this.#wish) this.output.line(`Waiting until a bot or a scenario is saved (${keys})`);
      await Promise.race([this.#wished.promise, stopped]);
      await this.#asking;
    }
    signal.throwIfAborted();
  }

  #takeWish(): Wish | undefined {
    const wish = this.#wish;
    this.#wish = undefined;
    this.#wished = deferred();
    return wish;
  }

  /** Calls that go on are ended for it. */
  #want(wish: Wish): void {
    this.#wish = wish;
    this.#interrupt();
    this.#wished.resolve();
  }

  #interrupt(): void {
    if (!this.#going || this.#going.abort.signal.aborted) return;
    this.#going.abort.abort();
    this.round.interrupted();
  }

  /** A file is not as it was read. What is saved during calls shows when they are over. */
  #changed(seen: Contents): void {
    if (this.#going) return;
    for (const file of this.#touched.changed(seen)) this.#pending.add(file);
    if (this.#pending.size === 0 && this.#unmet === undefined) return;
    this.#wish ??= typeof this.#unmet === 'string' ? this.#unmet : { changed: new Set(this.#pending) };
    this.#wished.resolve();
  }

  async #chooseNames(ask: () => Promise<NameFilter | undefined>): Promise<void> {
    const asked = deferred<void>();
    this.#asking = asked.promise;
    try {
      this.#interrupt();
      await this.#going?.over;
      this.#names = await ask();
      this.#want('all');
    } finally {
      asked.resolve();
    }
  }

  async #test(wished: Wish, signal: AbortSignal): Promise<void> {
    const abort = new AbortController();
    const over = deferred<void>();
    this.#going = { abort, over: over.promise };
    const either = AbortSignal.any([signal, abort.signal]);
    setMaxListeners(0, either); // one for each call
    const before = this.#touched;
    for (const file of before.changed()) this.#pending.add(file); // saved since the wish, or during calls that it has ended
    const wish = typeof wished === 'string' ? wished : { changed: new Set([...wished.changed, ...this.#pending]) };
    this.#touched = this.#nothingRead();
    const parts: ScenarioParts = new Map();
    try {
      const all = await this.round.read(parts);
      await this.#touched.read(
        all.map(({ scenario }) => scenario),
        parts,
      );
      const chosen = this.#touchedOf(this.round.choose(all, this.#choiceOf(wish)), wish);
      if (chosen) {
        this.#lastWish = wish;
        await this.round.run(chosen, all, either);
      }
      if (either.aborted) return;
      this.#unmet = undefined;
      if (wish !== 'failed') this.#pending.clear();
    } catch (error) {
      if (!(error instanceof ScenariosInvalid || error instanceof NoScenario)) throw error;
      if (error instanceof ScenariosInvalid) {
        this.#unmet ??= wish;
        this.#touched.noteParts(parts);
        for (const { file } of error.problems) this.#touched.note(file);
        for (const file of before.known.keys()) this.#touched.note(file);
      }
      this.output.warn(error.message, { error });
    } finally {
      this.#going = undefined;
      over.resolve();
    }
  }

  #choiceOf(wish: Wish): Choice {
    const { choice } = this.round.request;
    return { ...choice, isFailed: wish === 'failed', name: this.#names ?? choice.name };
  }

  /** What saved files touch of what was chosen; undefined, which the user is told, when that is nothing. */
  #touchedOf(chosen: Chosen, wish: Wish): Chosen | undefined {
    if (typeof wish === 'string') return chosen;
    const isTouched = ({ scenario }: Chosen['plan'][number] | Chosen['skipped'][number]) =>
      this.#touched.isTouched(scenario, wish.changed);
    const plan = chosen.plan.filter(isTouched);
    if (plan.length > 0) return { ...chosen, plan, skipped: chosen.skipped.filter(isTouched) };
    const saved = [...wish.changed].map((file) => shownPath(file, this.context.directory));
    this.output.line(`Saved: ${saved.join(', ')}; no scenario that is asked for needs it`);
    return undefined;
  }

  #nothingRead(): TouchedScenarios {
    const { directory } = this.context;
    return new TouchedScenarios(this.round.request.files, directory, botFileOf(this.config, directory));
  }
}
