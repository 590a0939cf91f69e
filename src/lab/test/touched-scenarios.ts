import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { prepareBot } from '../../runner/bots/bot-source.js';
import { leafSteps } from '../scenario/caller-steps.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import { type Contents, contentBelow, type ScenarioParts } from './scenario-files.js';

/** What scenarios are made of, so that it is known which of them a saved file touches. */
export class TouchedScenarios {
  readonly #known: Map<string, string | undefined>;
  readonly #partsOf = new Map<string, ReadonlySet<string>>();

  /**
   * @param files that were asked for, and folders; none: `directory`. They are watched also where nothing can be read of them
   * @param botFile of scenarios that name none; absolute path
   */
  constructor(
    private readonly files: readonly string[],
    directory: string,
    private readonly botFile: string,
  ) {
    const watched = files.length === 0 ? [directory] : files.map((file) => resolve(directory, file));
    this.#known = new Map(watched.map((path) => [path, this.contentNow(path)]));
  }

  /** What is in a file now; of a folder, which files of scenarios are below it. */
  readonly contentNow = (path: string): string | undefined => contentBelow(path, this.files.length > 0);

  /** Everything that was read so far. */
  get known(): Contents {
    return this.#known;
  }

  /**
   * Reads what scenarios are made of.
   * @param parts what has been read of their files, which may have been saved since
   */
  async read(scenarios: readonly PlacedScenario[], parts: ScenarioParts = new Map()): Promise<void> {
    this.noteParts(parts);
    for (const scenario of scenarios) {
      for (const file of [scenario.file, scenario.bot ?? this.botFile]) await this.#readParts(file);
      for (const file of soundsOf(scenario)) this.note(file);
    }
  }

  /** Takes files of scenarios, and what they import, as they were read. */
  noteParts(parts: ScenarioParts): void {
    for (const [file, contents] of parts) this.#keep(file, contents);
  }

  /** Takes a file as it is now. */
  note(file: string): void {
    if (!this.#known.has(file)) this.#known.set(file, this.contentNow(file));
  }

  /**
   * The files that are no longer as they were read, and those of scenarios that are new.
   * @param seen what is in files now. Default: they are looked at
   */
  changed(seen: Contents = new Map()): string[] {
    return [...this.#known].flatMap(([path, before]) => {
      const now = seen.has(path) ? seen.get(path) : this.contentNow(path);
      if (now === before) return [];
      const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
      return isFolder ? without(now?.split('\n') ?? [], before?.split('\n') ?? []) : [path];
    });
  }

  /** Whether a scenario is made of one of these files: it is in it, its bot is, something that one of both imports is, or it plays it. */
  isTouched(scenario: PlacedScenario, changed: ReadonlySet<string>): boolean {
    const parts = [scenario.file, scenario.bot ?? this.botFile].flatMap((file) => [
      ...(this.#partsOf.get(file) ?? [file]),
    ]);
    return [...parts, ...soundsOf(scenario)].some((file) => changed.has(file));
  }

  /** A file, and those of the project that it imports. */
  async #readParts(file: string): Promise<void> {
    if (this.#partsOf.has(file)) return;
    const parts = new Map([[file, this.contentNow(file)]]);
    const isCode = !/\.ya?ml$/.test(file);
    if (isCode) await prepareBot(file, { keepsJavaScript: true, read: parts }).catch(() => {}); // told when it is tested
    this.#keep(file, parts);
  }

  #keep(file: string, parts: Contents): void {
    for (const [part, content] of parts) this.#known.set(part, content);
    this.#partsOf.set(file, new Set(parts.keys()));
  }
}

const without = (all: readonly string[], known: readonly string[]) => all.filter((one) => !known.includes(one));

/** The files that a scenario plays and listens for. */
const soundsOf = (scenario: PlacedScenario): string[] =>
  [scenario, ...scenario.then].flatMap(({ caller, expect }) => {
    const steps = Array.isArray(caller) ? leafSteps(caller) : [];
    return [...steps.flatMap((step) => (step.kind === 'play' ? [step.file] : [])), ...expect.sound];
  });
