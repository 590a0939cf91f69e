import { resolveConfig } from '../../config/config.js';
import type { CliContext } from '../../terminal/context.js';
import type { Output } from '../../terminal/output.js';
import { StoppedBySignal } from '../../terminal/signals.js';
import { runBot } from '../run/run-bot.js';

/**
 * Serves a bot for as long as something is done with its runner.
 * @param act gets the address and the token of the runner
 * @throws what `runBot` and `act` throw
 */
export async function serveWhile(
  { bot, sandbox }: { readonly bot: string; readonly sandbox: boolean },
  context: CliContext,
  output: Output,
  act: (url: string, token: string) => Promise<void>,
): Promise<void> {
  const { environment, directory } = context;
  const config = await resolveConfig({ flags: { bot }, environment, directory });
  await runBot({
    config,
    transport: config.transport,
    sandbox,
    isDialin: false,
    isTaking: false,
    isYes: false,
    accountOptions: [],
    insecureWebhooks: false,
    standIns: false,
    isVerbose: false,
    context: { ...context, keyboard: undefined },
    output: output.withoutLastLine(), // which tells how far it is
    // A signal ends the run too, which then lets the calls end.
    task: (url, token) =>
      act(url, token).catch((error: unknown) => {
        if (error instanceof StoppedBySignal) return new Promise<never>(() => {});
        throw error;
      }),
  });
}
