import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { VoicebotError } from '../../base/errors.js';
import type { StepResult } from './certificate.js';
import { compareSteps, type Uses } from './compare/compare-steps.js';
import type { Difference } from './compare/difference.js';
import { profileOf, type StepProfile } from './compare/profile.js';
import type { WireItem } from './wire/wire-item.js';

/** What the sandbox says as a provider, in several tours: `assets/certify/<provider>.json`, made by `npm run certify:sandbox`. */
export interface WireReference {
  readonly version: 1;
  readonly provider: string;
  readonly steps: Readonly<Record<string, StepProfile>>;
  readonly uses: Uses;
}

const fileOf = (provider: string) =>
  fileURLToPath(new URL(`../../../assets/certify/${provider}.json`, import.meta.url));

/** @throws VoicebotError VB_CARRIER_UNSUPPORTED when the sandbox does not play this provider */
export function readReference(provider: string): WireReference {
  const file = fileOf(provider);
  if (!existsSync(file)) {
    throw new VoicebotError('VB_CARRIER_UNSUPPORTED', `there is nothing to compare ${provider} with`, {
      hint: 'voicebot certify knows the providers that the sandbox plays',
    });
  }
  return JSON.parse(readFileSync(file, 'utf8')) as WireReference;
}

/** Words that the sandbox says: a folder of a tour may hold them as they are. */
export function wordsOf({ steps }: WireReference): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { items } of Object.values(steps)) {
    for (const { fields } of Object.values(items)) {
      for (const { values } of Object.values(fields)) {
        for (const value of values) if (/^".*"$/.test(value)) words.add(value.slice(1, -1));
      }
    }
  }
  return words;
}

/** In what a step of a tour was not as the sandbox has it. One that has failed is compared as far as it went. */
export function differencesIn(
  { name, state }: StepResult,
  items: readonly WireItem[],
  { steps, uses }: WireReference,
): Difference[] {
  const expected = steps[name];
  if (!expected || items.length === 0 || state === 'left out') return [];
  const seen = profileOf([items]);
  return compareSteps({ step: name, expected, seen, items, steps, uses, isWhole: state === 'done' });
}
