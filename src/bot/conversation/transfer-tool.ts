import { VoicebotError } from '../../base/errors.js';
import { type OptionNames, refuseUnknownOptions } from '../../base/names/option-names.js';
import { readPhoneNumber } from '../../call/phone-number.js';
import { type TransferOutcome, transferRefusal, type WarmTransferFailure } from '../../call/transfer-outcome.js';
import type { OutputAudioFrame } from '../pipeline/frames/index.js';
import type { Tool, ToolContext } from './tool.js';

/** What connects a caller with a destination: a transport. */
export interface TransferringTransport {
  /** @throws VoicebotError when it is refused at once; the call is as it was */
  transfer(
    to: string,
    options?: { announce?: OutputAudioFrame | readonly OutputAudioFrame[] },
  ): Promise<ToolTransferResult>;
  /** The call goes on by the bot's process when the destination has taken it: it is not ended then. Default false. */
  readonly isWarm?: boolean;
}

/** What became of a transfer that the model has asked for; a transport need not say who has answered. */
export type ToolTransferResult = TransferOutcome | { readonly status: 'answered' };

/** Whom {@link transferTool} connects the caller with, and what it tells the caller and the model. */
export interface TransferToolOptions {
  readonly transport: TransferringTransport;
  /**
   * Who the caller may be connected with: a number, E.164, or several by name, such as `{ sales: '+12025550101' }`. The model
   * chooses a name (1 to 64 of `a-z A-Z 0-9 _ -`) and never sees a number.
   */
  readonly to: string | Readonly<Record<string, string>>;
  /** Said or played before: a text for the bot's voice, or recorded. Default: what the model itself says. */
  readonly announce?: string | OutputAudioFrame | readonly OutputAudioFrame[] | undefined;
  /** Tells the model when to transfer. Default: when the caller asks for a person, or for what the model cannot do. */
  readonly description?: string | undefined;
  /** What the model calls it. Default `transfer_call`. */
  readonly name?: string | undefined;
  /**
   * Told what became of each transfer; `destination` is the name it has in `to`, `operator` where `to` is a number.
   * Default: a line on standard error, except when it was answered.
   */
  readonly onResult?: ((result: ToolTransferResult, destination: string) => void) | undefined;
}

const OPTIONS: OptionNames<TransferToolOptions> = {
  transport: true,
  to: true,
  announce: true,
  description: true,
  name: true,
  onResult: true,
};

const transferTools = new WeakSet<Tool>();

/** Longer than any telephone rings, with what comes before and after it, in milliseconds. */
const LIMIT_MS = 300_000;

const WHY_NOT: Readonly<Record<WarmTransferFailure | 'refused', string>> = {
  busy: 'the line is busy',
  no_answer: 'the call was not answered',
  rejected: 'the call was declined',
  failed: 'the call did not go through',
  voicemail: 'a machine has answered',
  declined: 'the person who answered does not take the call',
  hung_up: 'the person who answered has hung up',
  refused: 'calls cannot be transferred there now',
};

/**
 * A function with which the model connects the caller with a person. It waits until what was said has been heard, transfers,
 * and leaves the call when the destination answers. When it does not, the model is told why and goes on with the caller.
 * @throws VoicebotError VB_CONFIG_INVALID naming every number and name that is malformed, and every option that is not known
 */
export function transferTool(options: TransferToolOptions): Tool {
  refuseUnknownOptions(options, OPTIONS);
  const { transport, to, announce, description, name, onResult } = options;
  const destinations = new Map(typeof to === 'string' ? [['operator', to]] : Object.entries(to));
  checkDestinations(destinations);
  const names = [...destinations.keys()];
  const tell = onResult ?? printFailure;
  /** Transfers that are going on, by number: a model that asks twice joins the first one. */
  const running = new Map<string, Promise<ToolTransferResult | undefined>>();

  /** @returns undefined when the function was given up before anybody was called */
  async function connect(number: string, destination: string, context: ToolContext) {
    if (typeof announce === 'string') await context.say(announce);
    await context.spoken();
    if (context.signal.aborted) return undefined;
    const recorded = typeof announce === 'string' ? undefined : announce;
    const result = await transport.transfer(number, recorded && { announce: recorded }).catch(transferRefusal);
    tell(result, destination);
    return result;
  }

  async function execute(input: unknown, context: ToolContext): Promise<unknown> {
    const destination = names.length === 1 ? names[0] : (input as { destination?: unknown } | null)?.destination;
    const number = destinations.get(String(destination));
    if (number === undefined) throw new Error(`there is no such destination; there are ${names.join(', ')}`);
    const transfer =
      running.get(number) ?? connect(number, String(destination), context).finally(() => running.delete(number));
    running.set(number, transfer);
    const result = await transfer;
    if (!result) return undefined;
    if (result.status === 'answered') {
      if (transport.isWarm) context.endTurn();
      else context.endCall();
      return { transferred: true };
    }
    if (result.status === 'caller_left') {
      context.endTurn();
      return { transferred: false, reason: 'the caller has hung up' };
    }
    return { transferred: false, reason: WHY_NOT[result.status], caller: 'is still on the line with you' };
  }

  const tool: Tool = {
    name: name ?? 'transfer_call',
    description:
      description ??
      `Connects the caller with a person. Call it when the caller asks for a person, or needs what you cannot do; ${announce ? 'say nothing yourself then, for an announcement follows' : 'say in the same answer that you do'}.`,
    parameters: {
      type: 'object',
      properties: names.length > 1 ? { destination: { type: 'string', enum: names } } : {},
      ...(names.length > 1 && { required: ['destination'] }),
    },
    timeoutMs: LIMIT_MS,
    survivesInterruption: true,
    mutesCaller: true,
    execute,
  };
  transferTools.add(tool);
  return tool;
}

/** Whether it is one of {@link transferTool}: what it waits for ends with the call. */
export const isTransferTool = (tool: Tool): boolean => transferTools.has(tool);

function checkDestinations(destinations: ReadonlyMap<string, string>): void {
  const problems = [...destinations].flatMap(([name, number]) => [
    ...(/^[\w-]{1,64}$/.test(name)
      ? []
      : [`the destination ${JSON.stringify(name)} must be 1 to 64 of a-z A-Z 0-9 _ -`]),
    ...numberProblems(name, number),
  ]);
  if (destinations.size === 0) problems.push('to must name a destination');
  if (problems.length > 0) throw new VoicebotError('VB_CONFIG_INVALID', `transferTool: ${problems.join('; ')}`);
}

function numberProblems(name: string, number: string): string[] {
  const read = readPhoneNumber(number);
  const must = `the number of ${JSON.stringify(name)} must be E.164, such as +12025550101`;
  return 'number' in read ? [] : [`${must}, got ${JSON.stringify(number)}: it ${read.problem}`];
}

function printFailure(result: ToolTransferResult, destination: string): void {
  if (result.status === 'answered' || result.status === 'caller_left') return;
  console.error(`transfer to ${destination}: ${result.status}, ${result.detail}`);
}
