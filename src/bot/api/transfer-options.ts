import { type OptionNames, unknownOptions } from '../../base/names/option-names.js';
import { rangeProblems } from '../../base/names/option-ranges.js';
import type { WarmAcceptance } from '../../call/consult.js';
import { OutputAudioFrame } from '../pipeline/frames/index.js';
import { type HoldSound, holdProblems } from './hold-options.js';
import type { Sound } from './sound.js';

/** What the destination of a warm transfer is told before it is asked: a text, or what the bot's model is told to write. */
export type WarmBrief = string | { readonly prompt: string };

/** How `Call.consult` goes about it. */
export interface ConsultOptions {
  /** How long it may ring, in whole seconds, 5 to 120. Default 25. */
  ringSeconds?: number | undefined;
  /** What the caller hears meanwhile. Default `music`. */
  hold?: HoldSound | undefined;
}

/** How the bot briefs the destination before it connects the caller. */
export interface WarmOptions extends ConsultOptions {
  /**
   * What the destination is told; the caller does not hear it. With `{ prompt }` the bot's model writes it from the conversation so far, in at
   * most 60 words.
   */
  brief: WarmBrief;
  /**
   * How the destination takes the call: it presses this key, one of `0-9 * #`; it says a plain yes (`spoken yes`, for a bot with ears); or it need
   * only answer (`answer`). It is told how, behind the briefing, in the language of the call. Default `1`.
   */
  accept?: string | undefined;
  /**
   * For a caller who is back with the bot because it came to nothing: said, played, or called with the outcome. What is called may transfer them
   * to another colleague: where that one takes the call, it is the outcome. Default: nothing.
   */
  onDeclined?: string | Sound | ((outcome: { readonly status: string }) => unknown) | undefined;
}

/** How `Call.transfer` goes about it. */
export interface CallTransferOptions {
  /** What the caller hears before: a text for the bot's voice, or audio. Default: nothing. */
  announce?: string | Sound | undefined;
  /** The bot stays until the destination has taken the call: see {@link WarmOptions}. Default: the carrier connects the two, and the bot has left. */
  warm?: WarmOptions | undefined;
}

const CONSULT: OptionNames<ConsultOptions> = { ringSeconds: true, hold: true };
const WARM: OptionNames<WarmOptions> = { ...CONSULT, brief: true, accept: true, onDeclined: true };
const TRANSFER: OptionNames<CallTransferOptions> = { announce: true, warm: true };

export const RING_SECONDS = 25;
/** How the destination accepts by speaking, and by answering; anything else is a key. */
const SPOKEN_YES = 'spoken yes';
const ANSWER = 'answer';

/** @returns a sentence for each option of a transfer that is wrong or not known, and for what the bot lacks for it */
export function transferProblems(options: CallTransferOptions, bot: BotAbilities): string[] {
  const { warm } = options;
  return [...unknownOptions(options, TRANSFER), ...(warm === undefined ? [] : warmProblems(warm, bot))];
}

/** What a bot has in a call. */
export interface BotAbilities {
  readonly hasVoice: boolean;
  readonly hasEars: boolean;
  /** A model has a conversation with the caller. */
  readonly hasModel: boolean;
}

/** @returns a sentence for each option that is wrong or not known */
export function consultProblems(
  options: ConsultOptions,
  names: Readonly<Record<string, true>> = CONSULT,
  path = '',
): string[] {
  const { ringSeconds = RING_SECONDS, hold } = Object(options) as ConsultOptions;
  const isWhole = Number.isInteger(ringSeconds);
  return [
    ...unknownOptions(options, names, path),
    ...(isWhole
      ? rangeProblems({ [`${path}ringSeconds`]: [ringSeconds, 5, 120] })
      : [`${path}ringSeconds must be a whole number of seconds, 5 to 120, got ${String(ringSeconds)}`]),
    ...holdProblems(`${path}hold`, hold),
  ];
}

/** @returns a sentence for each option of a warm transfer that is wrong or not known */
export function warmProblems(warm: WarmOptions, bot?: BotAbilities, path = 'warm.'): string[] {
  if (typeof warm !== 'object' || warm === null) return [`${path.slice(0, -1)} must be an object with brief`];
  const { accept = '1', onDeclined } = warm;
  const problems = [...consultProblems(warm, WARM, path), ...briefProblems(warm.brief, bot, path)];
  if (accept !== SPOKEN_YES && accept !== ANSWER && !/^[0-9*#]$/.test(accept))
    problems.push(
      `${path}accept must be one of 0-9 * #, "${SPOKEN_YES}" or "${ANSWER}", got ${JSON.stringify(accept)}`,
    );
  if (accept === SPOKEN_YES && bot && !bot.hasEars)
    problems.push(`${path}accept: a spoken yes needs ears: give the bot \`stt\``);
  if (onDeclined !== undefined && !isSayable(onDeclined) && typeof onDeclined !== 'function')
    problems.push(`${path}onDeclined must be a text, audio, or a function`);
  if (bot && !bot.hasVoice) problems.push(`${path}brief needs a voice: give the bot \`tts\``);
  return problems;
}

function briefProblems(brief: unknown, bot: BotAbilities | undefined, path: string): string[] {
  if (typeof brief === 'string') return brief.trim() === '' ? [`${path}brief must have words`] : [];
  const { prompt } = Object(brief) as { readonly prompt?: unknown };
  const unknown = unknownOptions(brief, { prompt: true }, `${path}brief.`);
  if (typeof prompt !== 'string') return [...unknown, `${path}brief must be a text, or { prompt } with one`];
  if (prompt.trim() === '') unknown.push(`${path}brief.prompt must have words`);
  if (bot && !bot.hasModel)
    unknown.push(`${path}brief: a prompt needs a conversation with a model: call converse first`);
  return unknown;
}

const isSayable = (value: unknown): boolean =>
  (typeof value === 'string' && value.trim() !== '') ||
  (Array.isArray(value) ? value.every((one) => one instanceof OutputAudioFrame) : value instanceof OutputAudioFrame);

/** How the destination accepts, as a runner keeps it. */
export function acceptanceOf(accept = '1'): { readonly accept: WarmAcceptance; readonly key?: string } {
  if (accept === SPOKEN_YES) return { accept: 'yes' };
  return accept === ANSWER ? { accept: 'answer' } : { accept: 'key', key: accept };
}
