import { VoicebotError } from '../../base/errors.js';
import { unpricedIn } from '../../call/call-cost.js';
import type { PlacedCall } from '../../call/placed-call.js';
import { resolveConfig } from '../../config/config.js';
import { stateDirectory } from '../../config/environment.js';
import { PRICES_FILE } from '../../config/files.js';
import { isPriced } from '../../runner/costs/price-usage.js';
import { isExample, type Prices, readPrices } from '../../runner/costs/prices.js';
import { connectRunner } from '../../runners/runner-address.js';
import type { CliContext } from '../../terminal/context.js';
import { EXIT, ReportedError } from '../../terminal/exit-codes.js';
import type { Output } from '../../terminal/output.js';
import { KnownCalls } from '../calls/known-calls.js';

/** Calls that are looked at, the newest first. */
const MOST_CALLS = 200;

/**
 * Says which parts of the last calls have no price in the file as it is now, and which of its items are examples still.
 * @throws VoicebotError VB_PRICES_INVALID also where there is no file
 * @throws ReportedError when a price is missing, or an example
 */
export async function checkPrices(context: CliContext, output: Output): Promise<void> {
  const { environment, directory } = context;
  const { pricesFile: path } = await resolveConfig({ flags: {}, environment, directory });
  if (path === undefined) {
    throw new VoicebotError('VB_PRICES_INVALID', `there is no ${PRICES_FILE} in ${directory}`, {
      hint: 'Write an example to begin with: npx voicebot prices init',
    });
  }
  const prices = readPrices(path);
  const calls = await lastCalls(context);
  const priced = calls.filter(({ cost }) => cost !== undefined);
  const missing = [...new Set(priced.flatMap((call) => missingIn(call, prices)))];
  const examples = prices.items.filter(isExample).length;
  const isWhole = missing.length === 0 && examples === 0;
  const report = { file: path, currency: prices.currency, items: prices.items.length, examples, missing };
  output.event('prices_checked', { ...report, calls: calls.length, pricedCalls: priced.length });
  output.line(`${path}: ${prices.items.length} items, in ${prices.currency}`);
  if (examples > 0) output.line(`${examples} of them are examples still: put in what you pay.`);
  output.line(
    priced.length === 0
      ? 'No call is known that was made with a file of prices: there is nothing to compare it with.'
      : `Of ${priced.length} calls ${missing.length === 0 ? 'everything has a price.' : 'these have no price:'}`,
  );
  for (const part of missing) output.result(`  ${part}`);
  if (!isWhole) throw new ReportedError(EXIT.configuration, 'the file of prices is not complete');
}

async function lastCalls(context: CliContext): Promise<readonly PlacedCall[]> {
  const runner = await connectRunner({ orStopping: true }, context).catch((error: unknown) => {
    if (error instanceof VoicebotError && error.code === 'VB_RUNNER_NOT_FOUND') return undefined;
    throw error;
  });
  const known = new KnownCalls(runner, stateDirectory(context.environment));
  return (await known.list(true)).slice(0, MOST_CALLS);
}

/** What had no price, and has none now. */
const missingIn = ({ cost }: PlacedCall, prices: Prices): string[] =>
  unpricedIn({ parts: (cost?.parts ?? []).filter((part) => !isPriced(prices, part)) });
