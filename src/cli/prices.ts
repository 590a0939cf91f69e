import { Argument } from 'commander';
import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';

interface PricesOptions {
  currency?: string;
  json?: boolean;
}

/** `voicebot prices`: writes a file of prices to begin with, and says what of the last calls has no price in it. */
export const pricesCommand = (context: CliContext): CliCommand =>
  new CliCommand('prices')
    .description('write a file of prices to begin with, or check which parts of the last calls have no price')
    .addArgument(new Argument('<action>', 'write an example, or check the file').choices(['init', 'check']))
    .argument('[bot]', 'with init: the bot whose services it is to have (default: that of the configuration)')
    .option('--currency <code>', 'with init: what you pay in, ISO 4217 (default: USD)')
    .outputOptions()
    .action(async (action: 'init' | 'check', bot: string | undefined, options: PricesOptions) => {
      const { TypedOptions } = await import('../terminal/typed-options.js');
      const typed = new TypedOptions();
      const { currency = 'USD' } = options;
      if (!/^[A-Z]{3}$/.test(currency)) typed.refuse(`--currency ${currency}: three letters of ISO 4217 such as EUR`);
      if (action === 'check' && options.currency !== undefined) typed.refuse('--currency is about init');
      if (action === 'check' && bot !== undefined) typed.refuse('check takes no bot');
      typed.throwIfRefused();
      const output = await outputOf(context, options);
      if (action === 'check') {
        const { checkPrices } = await import('./prices/check-prices.js');
        return await checkPrices(context, output);
      }
      const { writeExamplePrices } = await import('./prices/example-prices.js');
      await writeExamplePrices({ bot, currency }, context, output);
    });
