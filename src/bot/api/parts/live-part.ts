import { hasStandIns } from '../../../call/stand-ins.js';
import type { FrameProcessor } from '../../pipeline/index.js';
import { createLive } from '../../services/live/create-live.js';
import { type LiveOptions, liveProblems, resolveLiveOptions } from '../../services/live/live-options.js';
import { isContinuous, type LiveModel, type RealtimeModel } from '../../services/live/realtime-model.js';
import { LLMService } from '../../services/llm/index.js';
import type { ModelChoices } from '../../services/llm/model-choice.js';
import { standInModel } from '../../services/llm/stand-in-model.js';
import { isAiModel, kindProblem } from '../../services/model-kind.js';
import { missingKeyOf } from '../../services/model-vendor.js';
import { SttService } from '../../services/stt/index.js';
import { FliteTTS } from '../../services/tts/flite-tts.js';
import { type LiveParts, listOf } from './live-parts.js';
import { modelPart } from './model-part.js';
import { type Cascade, withOtherwise } from './otherwise-part.js';
import { type BotPart, NO_PART, wrongPart } from './part.js';
import { refusalsFor } from './refusals.js';

const EXAMPLE = "openai.experimental_realtime('gpt-realtime-2.1')";

/** A realtime model of the `ai` package's contract, or the options of one. */
export type LiveChoice = RealtimeModel | LiveOptions;

/** Where a realtime model hears and answers, what the bot gives for that beside it is refused. @param at such as `stt` */
export const besideLive = (at: string): BotPart<never> =>
  wrongPart([`live hears and answers by itself: leave ${at} out`]);

/**
 * The realtime model of a bot.
 * @param voice makes the voice that says what the bot wants said word for word, where the bot has one
 * @param otherwise has been checked by itself
 * @param llm of `otherwise`: what a model that takes its turns itself hands work to, where it has no delegate of its own
 */
export function livePart(
  given: unknown,
  voice: () => FrameProcessor | undefined,
  otherwise: BotPart<Cascade>,
  llm?: ModelChoices,
): BotPart<LiveParts> {
  if (given === undefined) return NO_PART;
  if (Array.isArray(given))
    return wrongPart(['live takes one model, not a list: what goes on without it is otherwise']);
  if (Object(given) !== given) return wrongPart([`live must be a realtime model such as ${EXAMPLE}`]);
  const options = optionsOf(given as LiveChoice);
  const { model } = options;
  const wrongKind = isAiModel(model) ? kindProblem('live', model, 'realtime', EXAMPLE) : undefined;
  if (wrongKind !== undefined) return wrongPart([wrongKind]);
  return realtimePart(options, voice, otherwise, llm);
}

function realtimePart(
  given: LiveOptions,
  voice: () => FrameProcessor | undefined,
  otherwise: BotPart<Cascade>,
  llm: ModelChoices | undefined,
): BotPart<LiveParts> {
  const { model } = given;
  const isKnown = isAiModel(model);
  const ownDelegate = modelPart(given.delegate, 'live.delegate');
  const takesDelegate = isKnown && isContinuous(model as unknown as LiveModel);
  const delegate = given.delegate === undefined && takesDelegate ? modelPart(llm, 'otherwise.llm') : ownDelegate;
  const key = isKnown ? missingKeyOf(model) : undefined;
  const lacksFunctions =
    takesDelegate && delegate === NO_PART
      ? `${model.modelId} calls no functions itself: name the model that does, such as live: { model, delegate: openai('gpt-4.1-mini') }`
      : undefined;
  const make = (): LiveParts => {
    const options = resolveLiveOptions(given, otherwise !== NO_PART);
    const made = voice();
    if (hasStandIns()) return { ...standInParts(made), lacksFunctions };
    const cascade = otherwise.make();
    const live = createLive(options, { hasVoice: made !== undefined, delegate: delegate.make() });
    if (cascade) return withOtherwise(live, options.model, cascade);
    const voices = [live.speaker, ...listOf(made)];
    return { ears: [live.ears], live, llm: undefined, functions: live.speaker, lacksFunctions, voice: voices };
  };
  const load = async () => {
    await LLMService.load(); // describes the functions
    if (hasStandIns()) await FliteTTS.load();
  };
  const check = () => [...refusalsFor(liveProblems(given)), ...ownDelegate.check()];
  return { keys: [...(key ? [key] : []), ...delegate.keys], check, make, load };
}

const optionsOf = (given: LiveChoice): LiveOptions =>
  isAiModel(given) ? { model: given as RealtimeModel } : (given as LiveOptions);

/** What stands in for speech to text, model and voice of bots that have these apart. */
function standInParts(voice: FrameProcessor | undefined): LiveParts {
  const unheard = { provider: 'voicebot', create: () => ({ droppedMs: 0, write: () => {}, close: () => {} }) };
  return {
    ears: [new SttService(unheard)],
    live: undefined,
    llm: new LLMService({ model: standInModel(undefined) }),
    functions: undefined,
    voice: [voice ?? new FliteTTS()],
  };
}
