import type { FrameProcessor } from '../../pipeline/index.js';
import { LiveOtherwise } from '../../services/live/live-otherwise.js';
import { liveName, probeLive } from '../../services/live/live-probe.js';
import type { LiveService } from '../../services/live/live-service.js';
import type { LiveModel } from '../../services/live/realtime-model.js';
import { StandbyEars, StandbyStt } from '../../services/live/standby-ears.js';
import type { LLMService } from '../../services/llm/index.js';
import type { ModelChoices } from '../../services/llm/model-choice.js';
import { type ServiceHealth, sharedHealth } from '../../services/service-health.js';
import type { SttService } from '../../services/stt/index.js';
import { type EarsChoices, earsPart } from './ears-part.js';
import type { LiveParts } from './live-parts.js';
import { partOf } from './load-parts.js';
import { modelPart } from './model-part.js';
import { type BotPart, NO_PART, wrongPart } from './part.js';
import { refusalsFor } from './refusals.js';
import { noChoice } from './service-part.js';
import { type VoiceChoices, voicePart } from './voice-part.js';

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
 * The cascade beside a realtime model.
 * @param beside what else the bot has
 */
export function otherwisePart(
  given: unknown,
  beside: { readonly live: unknown; readonly tts: unknown },
): BotPart<Cascade> {
  if (given === undefined) return NO_PART;
  if (Object(given) !== given) return wrongPart(['otherwise must be { stt, llm, tts }']);
  const { stt, llm, tts } = given as Partial<Record<(typeof NAMES)[number], unknown>>;
  // what stands by is made anew around its source: ears of the bot's own have none
  const ears = earsPart(stt, 'otherwise.stt', noChoice('stt'));
  const [model, voice] = [modelPart(llm, 'otherwise.llm'), voicePart(tts, 'otherwise.tts')];
  const all = partOf(
    [ears, model, voice],
    () => ({ ears: ears.make(), llm: model.make(), voice: voice.make() }) as Cascade,
  );
  const problems = problemsOf(given as object, beside);
  return { ...all, check: () => [...refusalsFor(problems), ...all.check()] };
}

function problemsOf(parts: object, beside: { readonly live: unknown; readonly tts: unknown }): string[] {
  const given = parts as Readonly<Record<string, unknown>>;
  return [
    ...(beside.live === undefined
      ? ['otherwise stands beside live: give the bot live, or stt, llm and tts alone']
      : []),
    ...(beside.tts === undefined ? [] : ['with otherwise the realtime model has the voice: leave tts out']),
    ...NAMES.filter((name) => given[name] === undefined).map((name) => `otherwise.${name} is missing`),
    ...Object.keys(given)
      .filter((name) => !(NAMES as readonly string[]).includes(name))
      .map((name) => `otherwise.${name} is not known: it has stt, llm and tts`),
  ];
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
