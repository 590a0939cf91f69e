import { hasStandIns } from '../../../call/stand-ins.js';
import type { FrameProcessor } from '../../pipeline/index.js';
import { createLive } from '../../services/live/create-live.js';
import { type LiveOptions, liveProblems, resolveLiveOptions } from '../../services/live/live-options.js';
import { isContinuous, type RealtimeModel } from '../../services/live/realtime-model.js';
import { LLMService } from '../../services/llm/index.js';
import type { ModelChoices } from '../../services/llm/model-choice.js';
import { standInModel } from '../../services/llm/stand-in-model.js';
import { isAiModel, kindProblem } from '../../services/model-kind.js';
import { missingKeyOf } from '../../services/model-vendor.js';
import { SttService } from '../../services/stt/index.js';
import { FliteTTS } from '../../services/tts/flite-tts.js';
import { type LiveParts, listOf } from './live-parts.js';
import { modelPart, modelProblems } from './model-part.js';
import { type Cascade, withOtherwise } from './otherwise-part.js';
import { type BotPart, NO_PART } from './part.js';

const EXAMPLE = "openai.experimental_realtime('gpt-realtime-2.1')";

/** A realtime model of the `ai` package's contract, or the options of one. */
export type LiveChoice = RealtimeModel | LiveOptions;

/**
 * @param beside the other parts of the bot, by name
 * @returns a sentence for each thing that is wrong with what the bot gives as its realtime model
 */
export function livePartProblems(given: unknown, beside: Readonly<Record<'stt' | 'llm', unknown>>): string[] {
  if (given === undefined) return [];
  const taken = Object.entries(beside).filter(([, part]) => part !== undefined);
  return [
    ...taken.map(([name]) => `live hears and answers by itself: leave ${name} out`),
    ...(Object(given) === given
      ? modelProblemsOf(optionsOf(given as LiveChoice))
      : [`live must be a realtime model such as ${EXAMPLE}`]),
  ];
}

/**
 * The realtime model of a bot.
 * @param voice makes the voice that says what the bot wants said word for word, where the bot has one
 * @param llm of `otherwise`: what a model that takes its turns itself hands work to, where it has no delegate of its own
 * @throws VoicebotError VB_CONFIG_INVALID
 */
export function livePart(
  given: LiveChoice,
  voice: () => FrameProcessor | undefined,
  otherwise?: BotPart<Cascade>,
  llm?: ModelChoices,
): BotPart<LiveParts> {
  const options = resolveLiveOptions(optionsOf(given), otherwise !== undefined);
  const delegate = isContinuous(options.model) ? modelPart(options.delegate ?? llm) : NO_PART;
  const key = missingKeyOf(options.model);
  const lacksFunctions =
    isContinuous(options.model) && delegate === NO_PART
      ? `${options.model.modelId} calls no functions itself: name the model that does, such as live: { model, delegate: openai('gpt-4.1-mini') }`
      : undefined;
  const make = (): LiveParts => {
    const made = voice();
    if (hasStandIns()) return { ...standInParts(made), lacksFunctions };
    const cascade = otherwise?.make();
    const live = createLive(options, { hasVoice: made !== undefined, delegate: delegate.make() });
    if (cascade) return withOtherwise(live, options.model, cascade);
    const voices = [live.speaker, ...listOf(made)];
    return { ears: [live.ears], live, llm: undefined, functions: live.speaker, lacksFunctions, voice: voices };
  };
  const load = async () => {
    await LLMService.load(); // describes the functions
    await otherwise?.load();
    if (hasStandIns()) await FliteTTS.load();
  };
  return { keys: [...(key ? [key] : []), ...(otherwise?.keys ?? []), ...delegate.keys], make, load };
}

const optionsOf = (given: LiveChoice): LiveOptions =>
  isAiModel(given) ? { model: given as RealtimeModel } : (given as LiveOptions);

/** A model of another kind is told as such, and nothing else of it. */
function modelProblemsOf(options: LiveOptions): string[] {
  const { model } = options;
  const problem = isAiModel(model) ? kindProblem('live', model, 'realtime', EXAMPLE) : undefined;
  if (problem !== undefined) return [problem];
  const ofDelegate = modelProblems(options.delegate).map((one) => one.replace(/^llm/, 'live.delegate'));
  return [...liveProblems(options), ...ofDelegate];
}

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
