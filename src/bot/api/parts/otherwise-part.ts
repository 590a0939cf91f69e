import { refuseProblems } from '../../../base/names/option-names.js';
import type { FrameProcessor } from '../../pipeline/index.js';
import { LiveOtherwise } from '../../services/live/live-otherwise.js';
import { liveName, probeLive } from '../../services/live/live-probe.js';
import type { LiveService } from '../../services/live/live-service.js';
import type { LiveModel } from '../../services/live/realtime-model.js';
import { StandbyEars, StandbyStt } from '../../services/live/standby-ears.js';
import type { LLMService } from '../../services/llm/index.js';
import type { ModelChoices } from '../../services/llm/model-choice.js';
import { type ServiceHealth, sharedHealth } from '../../services/service-health.js';
import { SttService } from '../../services/stt/index.js';
import { type EarsChoices, earsPart, earsProblems } from './ears-part.js';
import type { LiveParts } from './live-parts.js';
import { partOf } from './load-parts.js';
import { modelPart, modelProblems } from './model-part.js';
import type { BotPart } from './part.js';
import { type VoiceChoices, voicePart, voiceProblems } from './voice-part.js';

/** Speech to text, model and voice that go on with a call when the realtime model of the bot cannot: all three; each may be a list. */
export interface OtherwiseChoice {
  /** Such as `deepgram()`. */
  stt: EarsChoices;
  /** Such as `openai('gpt-4.1-mini')`. */
  llm: ModelChoices;
  /** Such as `cartesia()`. */
  tts: VoiceChoices;
}

/** What stands beside a realtime model in one call. */
export interface Cascade {
  readonly ears: SttService;
  readonly llm: LLMService;
  readonly voice: FrameProcessor;
}

const NAMES = ['stt', 'llm', 'tts'] as const;

/**
 * @param beside what else the bot has
 * @returns a sentence for each thing that is wrong with what the bot gives beside its realtime model
 */
export function otherwiseProblems(given: unknown, beside: { readonly live: unknown; readonly tts: unknown }): string[] {
  if (given === undefined) return [];
  if (Object(given) !== given) return ['otherwise must be { stt, llm, tts }'];
  const parts = given as Partial<Record<string, unknown>>;
  return [
    ...(beside.live === undefined
      ? ['otherwise stands beside live: give the bot live, or stt, llm and tts alone']
      : []),
    ...(beside.tts === undefined ? [] : ['with otherwise the realtime model has the voice: leave tts out']),
    ...NAMES.filter((name) => parts[name] === undefined).map((name) => `otherwise.${name} is missing`),
    ...Object.keys(parts)
      .filter((name) => !(NAMES as readonly string[]).includes(name))
      .map((name) => `otherwise.${name} is not known: it has stt, llm and tts`),
    ...earsProblems(parts.stt).map((problem) => `otherwise.${problem}`),
    ...modelProblems(parts.llm).map((problem) => `otherwise.${problem}`),
    ...voiceProblems(parts.tts).map((problem) => `otherwise.${problem}`),
  ];
}

/** The cascade beside a realtime model. @throws VoicebotError VB_CONFIG_INVALID for an option that is out of range or not known */
export function otherwisePart({ stt, llm, tts }: OtherwiseChoice): BotPart<Cascade> {
  const [ears, model, voice] = [earsPart(stt), modelPart(llm), voicePart(tts)];
  return partOf([ears, model, voice], () => {
    const made = { ears: ears.make(), llm: model.make(), voice: voice.make() };
    // what stands by is made anew around its source: ears of the bot's own have none
    refuseProblems(made.ears instanceof SttService ? [] : ['otherwise.stt must be a service such as deepgram()']);
    return made as Cascade;
  });
}

/** The parts of one call of a bot whose cascade goes on when there is no session; it begins alone while the realtime model is not well. */
export function withOtherwise(
  live: LiveService,
  model: LiveModel,
  { ears, llm, voice }: Cascade,
  health: ServiceHealth = sharedHealth,
): LiveParts {
  const name = liveName(model);
  health.probeWith(name, () => probeLive(model));
  if (!health.isWell(name)) return { ears: [ears], live: undefined, llm, functions: undefined, voice: [voice] };
  const standby = new StandbyEars(ears.source);
  const { before, behind } = new LiveOtherwise(live, standby, name, {
    failed: (error) => health.failed(name, error, undefined, error.retryAfterMs),
    works: () => health.works(name),
  });
  return {
    ears: [live.ears, new StandbyStt(standby)],
    live,
    llm: undefined,
    functions: { functionsUnderWay: () => live.speaker.functionsUnderWay() ?? llm.functionsUnderWay() },
    voice: [before, live.speaker, behind, llm, voice],
  };
}
