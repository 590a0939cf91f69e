// @ts-expect-error scripts have no types
import { NUMBERS_BEFORE } from '../../../scripts/certify-numbers.mjs';
import type { Certificate } from '../../../src/lab/certify/certificate.js';
import { type AccountAt, tourOfSandbox } from './tour-of-sandbox.js';

interface NumberBefore {
  readonly title: string;
  readonly provider: 'plivo' | 'twilio' | 'telnyx' | 'daily';
  readonly set: (account: AccountAt) => Promise<string>;
}

const told = ({ differences }: Certificate) =>
  differences.map(({ step, kind, where, field, expected, seen }) => ({ step, kind, where, field, expected, seen }));

test.each(NUMBERS_BEFORE as readonly NumberBefore[])(
  'a number at $provider that has $title differs in nothing',
  async ({ provider, set }) => {
    const certificate = await tourOfSandbox(provider, [], {}, undefined, { before: set });
    expect(certificate.steps.filter(({ state }) => state === 'done').map(({ name }) => name)).toEqual([
      'number',
      'give-back',
    ]);
    expect(told(certificate)).toEqual([]);
  },
  60_000,
);
