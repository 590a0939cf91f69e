import type { RunnerOptions } from './runner-options.js';

/** What all runners of an account have, and nobody else: the runners of a cluster derive from it what only they can read. */
export const accountSecretOf = ({ provider }: Pick<RunnerOptions, 'provider'>): string =>
  provider.kind === 'carrier' ? provider.credentials.authToken : provider.credentials.apiKey;
