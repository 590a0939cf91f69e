import { isAbortOf } from '../../base/async/deadline.js';
import { type OptionNames, unknownOptions } from '../../base/names/option-names.js';
import { describeBot, type RecordOptions } from '../../call/bot-definition.js';
import type { BotFunction } from '../../call/runner-arguments.js';
import { openCall } from './accept-call.js';
import { BOT_PARTS, type BotParts, checkParts } from './bot-parts.js';
import type { Call } from './call.js';

export interface BotOptions<Body = Record<string, unknown>> extends BotParts<Body> {
  /**
   * Whether each call leaves a folder with its audio, its transcript and what happened in it (docs/calls.md). `VOICEBOT_RECORD`,
   * `--record` and `--no-record` override it. Default: on the sandbox only.
   */
  record?: boolean | RecordOptions;
  /**
   * Serves one call; the other party is there. When it has returned, a conversation or a pipeline that runs goes on to its
   * end, and a call without either is hung up. When it throws, another bot takes the call over.
   */
  onCall(call: Call<Body>): Promise<void> | void;
}

const OPTIONS: OptionNames<BotOptions> = { ...BOT_PARTS, onCall: true, record: true };
const RECORD_OPTIONS: OptionNames<RecordOptions> = { maskDigits: true };

/**
 * A bot for every call: over a carrier and in a room, for those that come in and those that go out. What it returns is
 * what a bot file exports as its default.
 * @throws VoicebotError VB_CONFIG_INVALID naming every option that is wrong or not known, and every key that is not set;
 *   VB_CREDENTIALS_MISSING where only keys are missing: `voicebot run` refuses to start
 */
export function defineBot<Body = Record<string, unknown>>(options: BotOptions<Body>): BotFunction {
  const { onCall, body, record } = options;
  const problems = typeof record === 'boolean' ? [] : unknownOptions(record, RECORD_OPTIONS, 'record.');
  if (typeof onCall !== 'function') problems.push('onCall must be a function');
  const parts = checkParts(options, OPTIONS, problems);
  const bot: BotFunction = async (args) => {
    await parts.load();
    const call = await openCall(args, parts);
    try {
      if (!call.isOver && (await call.takeOver())) await onCall(call);
    } catch (error) {
      if (!isAbortOf(call.signal, error)) throw error; // the end of the call has ended a wait of the bot
    }
    await call.finish();
  };
  return describeBot(bot, {
    record,
    load: () => parts.load(),
    checkBody:
      body &&
      (async (data) => {
        const checked = await parts.checkBody(data);
        return 'problems' in checked ? checked.problems : [];
      }),
  });
}
