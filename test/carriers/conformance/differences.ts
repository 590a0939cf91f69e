import type { SandboxCarrier } from '../../../src/sandbox/faces.js';
import type { Played } from './rig.js';
import type { Story } from './story.js';

/** What is not the same at every carrier. */
export interface Difference {
  readonly carrier: SandboxCarrier;
  /** Title of a story. */
  readonly story: string;
  readonly of: 'record' | 'facts';
  readonly field: string;
  readonly value: unknown;
  readonly why: string;
}

export const DIFFERENCES: readonly Difference[] = [
  {
    carrier: 'telnyx',
    story: 'a stream is let in once, with the pass and the signature of its call',
    of: 'facts',
    field: 'unsigned',
    value: 101,
    why: 'it does not sign the upgrade of a stream: the pass, which is good once, guards it alone',
  },
  {
    carrier: 'telnyx',
    story: 'a runner that drains ends no call, and turns new callers away',
    of: 'facts',
    field: 'wasAnswered',
    value: true,
    why: 'it answers a call before it asks for the first document, which then can only hang up',
  },
  {
    carrier: 'telnyx',
    story: 'a call that the carrier refuses to place is told of in the words of the carrier',
    of: 'facts',
    field: 'words',
    value: 'ours',
    why: 'the runner asks for the application of the number first, and finds that the account has no such number',
  },
];

/** What the story comes to at this carrier. A difference that makes none is an error. */
export function expectedAt(carrier: SandboxCarrier, { title, record, facts }: Story): Played {
  const expected = { ...(record && { record: { ...record } }), ...(facts && { facts: { ...facts } }) };
  for (const { of, field, value } of DIFFERENCES.filter((one) => one.carrier === carrier && one.story === title)) {
    const fields = expected[of] as Record<string, unknown> | undefined;
    if (!fields || JSON.stringify(fields[field]) === JSON.stringify(value))
      throw new Error(`${title}: ${field} is no different at ${carrier}`);
    fields[field] = value;
  }
  return expected;
}
