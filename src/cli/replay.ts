import { Option } from 'commander';
import { TRANSPORTS, type TransportKind } from '../assembly/transports.js';
import { CARRIER_NAMES, type CarrierName } from '../providers/registry/carrier-names.js';
import { CliCommand } from '../terminal/cli-command.js';
import { type CliContext, outputOf } from '../terminal/context.js';
import { notes } from '../terminal/help.js';
import { TypedOptions } from '../terminal/typed-options.js';

interface ReplayOptions {
  bot?: string;
  transport?: TransportKind;
  carrier?: CarrierName;
  recorded?: boolean;
  real?: boolean;
  save?: string;
  maskDigits?: boolean;
  json?: boolean;
  verbose?: boolean;
}

/** `voicebot replay`: a recorded call once more, against the bot as it is now. */
export const replayCommand = (context: CliContext): CliCommand =>
  new CliCommand('replay')
    .description('give the bot as it is now the caller of a recorded call, and show what is different')
    .argument('<call>', 'folder of the call, its identifier, or enough of its beginning')
    .option('--bot <file>', 'the bot that is called (default: the one in the settings, or else the demo)')
    .option('--save <file>', 'write a scenario for voicebot test (.yaml) with its sounds beside it, and make no call')
    .option('--mask-digits', 'with --save: zeros in place of numbers of three digits or more, also as keys')
    .option('--real', "the bot's own services, with their keys (default: where the keys are there)")
    .option('--recorded', 'a scripted model that answers what it has answered in the recorded call, and no keys')
    .addOption(
      new Option('--transport <kind>', "how the call reaches the bot (default: the recorded call's)").choices(
        TRANSPORTS,
      ),
    )
    .addOption(new Option('--carrier <name>', 'whose wire the call goes over').choices(CARRIER_NAMES))
    .outputOptions("show where an error happened, and the runner's log")
    .addHelpText('after', notes('Exit code 1: something is different. 2: there is no such call, or it goes on.'))
    .action(async (call: string, options: ReplayOptions) => {
      const {
        bot,
        transport,
        carrier,
        real = false,
        recorded = false,
        save,
        maskDigits = false,
        verbose = false,
      } = options;
      const typed = new TypedOptions();
      if (call === '') typed.refuse('the call is empty');
      if (real && recorded) typed.refuse('--real and --recorded cannot be combined');
      if (carrier && transport === 'rooms') typed.refuse('--carrier means nothing with --transport rooms');
      if (save !== undefined && !/\.ya?ml$/.test(save)) typed.refuse('--save writes a .yaml file');
      if (maskDigits && save === undefined) typed.refuse('--mask-digits is for what --save writes');
      typed.throwIfRefused();
      const services = real ? 'real' : recorded ? 'recorded' : undefined;
      const { replayCall } = await import('../lab/replay/replay-call.js');
      await replayCall(
        { call, bot, transport, carrier, services, save, masksDigits: maskDigits, isVerbose: verbose },
        context,
        await outputOf(context, options),
      );
    });
