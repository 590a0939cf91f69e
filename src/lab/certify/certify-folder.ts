import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VoicebotError } from '../../base/errors.js';
import type { Certificate, StepResult } from './certificate.js';
import { certificateLine, isPlayed } from './certificate.js';
import { differenceTable } from './compare/difference-table.js';
import { COMPARED_STEPS, NUMBER_GIVEN_BACK, NUMBER_TAKEN } from './tour/tour-steps.js';
import type { WireItem } from './wire/wire-item.js';

const CERTIFICATE = 'certificate.json';
const STEPS = 'steps.json';
const WIRE = 'wire';

/** Whose calls a tour makes, and with what: another one does not go on with it. */
export interface TourOwner {
  readonly provider: string;
  /** {@link REHEARSAL}, or what tells accounts apart, by a key of the state directory, and opens none: 16 characters. */
  readonly account: string;
  /** Version. */
  readonly voicebot: string;
}

/** In place of an account: programs use the telephones of a sandbox. */
export const REHEARSAL = 'sandbox';

/** The same, as far as a folder says it: that of the first voicebot names the provider alone. */
export interface KnownOwner {
  readonly provider: string;
  readonly account?: string | undefined;
  readonly voicebot?: string | undefined;
}

/** What is kept of a tour that goes on. */
interface KeptSteps extends KnownOwner {
  readonly version: 1;
  readonly steps: readonly StepResult[];
}

/** The folder of a tour. Nothing in it says who has called whom, and nothing in it opens the account or leads to it. */
export class CertifyFolder {
  #steps: readonly StepResult[] = [];

  /** A tour in a new folder, or in one in which nothing was played. @param path absolute. @throws VoicebotError VB_FILE_EXISTS */
  static create(path: string, owner: TourOwner): CertifyFolder {
    if (!isFree(path))
      throw new VoicebotError('VB_FILE_EXISTS', path, { hint: 'Name another folder with --output <folder>' });
    mkdirSync(join(path, WIRE), { recursive: true, mode: 0o700 });
    const folder = new CertifyFolder(path, owner);
    folder.#keep();
    return folder;
  }

  /** A tour that broke off, or is over. @throws VoicebotError VB_CONFIG_INVALID when there is none, or one of a later version */
  static open(path: string): CertifyFolder {
    const { provider, account, voicebot, steps } = readVersioned<KeptSteps>(join(path, STEPS));
    if (!Array.isArray(steps)) throw notOfTour(join(path, STEPS));
    const folder = new CertifyFolder(path, { provider, account, voicebot });
    folder.#steps = steps;
    return folder;
  }

  private constructor(
    readonly path: string,
    readonly owner: KnownOwner,
  ) {}

  get provider(): string {
    return this.owner.provider;
  }

  get steps(): readonly StepResult[] {
    return this.#steps;
  }

  /** Whether a step need not be played again. */
  isDone(name: string): boolean {
    return this.#stateOf(name) === 'done';
  }

  /** Whether the tour has come to its end, which may be that the number could not be taken. */
  get isOver(): boolean {
    return this.isDone(NUMBER_GIVEN_BACK) || this.#stateOf(NUMBER_TAKEN) === 'failed';
  }

  /** A run takes the number, and gives it back: what an earlier one has seen of that is not of this one. */
  begin(): void {
    for (const name of [NUMBER_TAKEN, NUMBER_GIVEN_BACK]) this.#forget(name);
    this.#keep();
  }

  /** What a step has come to, and what went over the wire in it. One that was played once is not left out. */
  add(result: StepResult, items: readonly WireItem[]): void {
    const before = this.#stateOf(result.name);
    if (result.state === 'left out' && (before === 'done' || before === 'failed')) return;
    this.#forget(result.name);
    this.#steps = [...this.#steps, result].sort((one, other) => placeOf(one) - placeOf(other));
    if (items.length > 0)
      writeFileSync(this.#wireFile(result.name), items.map((item) => `${JSON.stringify(item)}\n`).join(''));
    this.#keep();
  }

  /** What went over the wire in a step, in its order; none where it was not played. */
  items(step: string): WireItem[] {
    const file = this.#wireFile(step);
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as WireItem);
  }

  /** Writes the certificate, and the table for people beside it. */
  certify(certificate: Certificate): void {
    writeFileSync(join(this.path, CERTIFICATE), `${JSON.stringify(certificate, null, 2)}\n`);
    const steps = certificate.steps.map(({ name, state, why }) => `| ${name} | ${state}${why ? `: ${why}` : ''} |`);
    const text = [
      `# ${certificateLine(certificate)}`,
      '',
      '| Step | |',
      '|---|---|',
      ...steps,
      '',
      ...differenceTable(certificate.differences),
      '',
    ];
    writeFileSync(join(this.path, 'differences.md'), text.join('\n'));
  }

  /** That of a tour that is over. @throws VoicebotError VB_CONFIG_INVALID */
  certificate(): Certificate {
    return readVersioned<Certificate>(join(this.path, CERTIFICATE));
  }

  #stateOf(name: string): StepResult['state'] | undefined {
    return this.#steps.find((step) => step.name === name)?.state;
  }

  #forget(name: string): void {
    this.#steps = this.#steps.filter((step) => step.name !== name);
    rmSync(this.#wireFile(name), { force: true });
  }

  #wireFile(step: string): string {
    return join(this.path, WIRE, `${step}.ndjson`);
  }

  #keep(): void {
    const kept: KeptSteps = { version: 1, ...this.owner, steps: this.#steps };
    writeFileSync(join(this.path, STEPS), `${JSON.stringify(kept, null, 2)}\n`);
  }
}

/** Whether a tour may begin there: nothing is in it, or a tour that has played nothing. @param path absolute */
export function isFree(path: string): boolean {
  if (!existsSync(path) || readdirSync(path).length === 0) return true;
  return !(tourIn(path)?.steps.some(isPlayed) ?? true);
}

/** The tour of a folder; undefined where there is none that can be read. @param path absolute */
export function tourIn(path: string): CertifyFolder | undefined {
  try {
    return CertifyFolder.open(path);
  } catch {
    return undefined;
  }
}

/** In the order of the tour. */
const placeOf = ({ name }: StepResult): number => COMPARED_STEPS.indexOf(name);

const notOfTour = (file: string, cause?: unknown) =>
  new VoicebotError('VB_CONFIG_INVALID', `${file} is no file of a tour`, {
    cause,
    hint: 'Begin one: npx voicebot certify',
  });

function readVersioned<Kept extends { readonly version: 1 }>(file: string): Kept {
  let kept: { readonly version?: unknown };
  try {
    kept = Object(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw notOfTour(file, cause);
  }
  if (kept.version === 1) return kept as Kept;
  throw new VoicebotError('VB_CONFIG_INVALID', `${file} is of another version of voicebot`, {
    hint: 'Begin a tour with this one: npx voicebot certify',
  });
}
