import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VoicebotError } from '../../base/errors.js';
import type { Certificate, StepResult } from './certificate.js';
import { certificateLine } from './certificate.js';
import { differenceTable } from './compare/difference-table.js';
import { COMPARED_STEPS } from './tour/tour-steps.js';
import type { WireItem } from './wire/wire-item.js';

const CERTIFICATE = 'certificate.json';
const STEPS = 'steps.json';
const WIRE = 'wire';

/** What is kept of a tour that goes on. */
interface KeptSteps {
  readonly version: 1;
  readonly provider: string;
  readonly steps: readonly StepResult[];
}

/** The folder of a tour. Nothing in it says who has called whom, and which account that was. */
export class CertifyFolder {
  #steps: readonly StepResult[] = [];

  /** @param path absolute. @throws VoicebotError VB_FILE_EXISTS when something of another kind is there */
  static create(path: string, provider: string): CertifyFolder {
    if (existsSync(path) && readdirSync(path).length > 0) {
      throw new VoicebotError('VB_FILE_EXISTS', path, {
        hint: existsSync(join(path, STEPS))
          ? `Go on with that tour: --resume ${path}`
          : 'Name another folder with --output',
      });
    }
    mkdirSync(join(path, WIRE), { recursive: true, mode: 0o700 });
    const folder = new CertifyFolder(path, provider);
    folder.#keep();
    return folder;
  }

  /** A tour that broke off, or is over. @throws VoicebotError VB_CONFIG_INVALID when there is none, or one of a later version */
  static open(path: string): CertifyFolder {
    const { provider, steps } = readVersioned<KeptSteps>(join(path, STEPS));
    const folder = new CertifyFolder(path, provider);
    folder.#steps = steps;
    return folder;
  }

  private constructor(
    readonly path: string,
    readonly provider: string,
  ) {}

  get steps(): readonly StepResult[] {
    return this.#steps;
  }

  /** Whether a step need not be played again. */
  isDone(name: string): boolean {
    return this.#steps.some((step) => step.name === name && step.state === 'done');
  }

  /** What a step has come to, and what went over the wire in it. */
  add(result: StepResult, items: readonly WireItem[]): void {
    const others = this.#steps.filter(({ name }) => name !== result.name);
    this.#steps = [...others, result].sort((one, other) => placeOf(one) - placeOf(other));
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

  #wireFile(step: string): string {
    return join(this.path, WIRE, `${step}.ndjson`);
  }

  #keep(): void {
    const kept: KeptSteps = { version: 1, provider: this.provider, steps: this.#steps };
    writeFileSync(join(this.path, STEPS), `${JSON.stringify(kept, null, 2)}\n`);
  }
}

/** In the order of the tour. */
const placeOf = ({ name }: StepResult): number => COMPARED_STEPS.indexOf(name);

function readVersioned<Kept extends { readonly version: 1 }>(file: string): Kept {
  let kept: { readonly version?: unknown };
  try {
    kept = Object(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new VoicebotError('VB_CONFIG_INVALID', `${file} is no file of a tour`, {
      cause,
      hint: 'Begin one: npx voicebot certify',
    });
  }
  if (kept.version === 1) return kept as Kept;
  throw new VoicebotError('VB_CONFIG_INVALID', `${file} is of another version of voicebot`, {
    hint: 'Begin a tour with this one: npx voicebot certify',
  });
}
