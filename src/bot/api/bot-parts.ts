import type { ZodType } from 'zod';
import { type OptionNames, refuseProblems, unknownOptions } from '../../base/names/option-names.js';
import type { FrameProcessor } from '../pipeline/index.js';
import { type LanguageModel, LLMService, type LLMServiceOptions } from '../services/llm/index.js';
import { requireKeys, VENDORS, type VendorName } from '../services/vendor.js';
import type { Service, ServiceChoice } from './services.js';

/** What a bot is made of, beside what it does with a call. Every part may be left out. */
export interface BotParts<Body = Record<string, unknown>> {
  /** Speech to text, such as `deepgram()`. Without it no words are heard. */
  stt?: ServiceChoice | undefined;
  /** A model of the `ai` package, such as `openai('gpt-4.1-mini')`, or the options of an `LLMService`. */
  llm?: LanguageModel | LLMServiceOptions | undefined;
  /** The voice, such as `cartesia()`. Without it only audio is said. */
  tts?: ServiceChoice | undefined;
  /** What the custom data of a call looks like. Calls that come in have none: they get the schema's defaults. */
  body?: ZodType<Body> | undefined;
  /** What others in a room see. Default `Voicebot`. */
  name?: string | undefined;
}

export const BOT_PARTS: OptionNames<BotParts> = { stt: true, llm: true, tts: true, body: true, name: true };

/** The parts of a bot, checked: each makes what one call needs. */
export interface CheckedParts<Body> {
  stt(): FrameProcessor | undefined;
  llm(): LLMService | undefined;
  tts(): FrameProcessor | undefined;
  readonly name: string;
  /** @returns the custom data with defaults, or what is wrong with it, a sentence for each problem */
  checkBody(body: unknown): Promise<{ body: Body } | { problems: string[] }>;
  /** Loads the packages that the parts need. @throws VoicebotError VB_CONFIG_INVALID when one is missing or too old */
  load(): Promise<void>;
}

/**
 * @param names every option that is allowed beside the parts
 * @throws VoicebotError VB_CONFIG_INVALID naming every option that is wrong or not known, VB_CREDENTIALS_MISSING naming
 *   every key that is not set
 */
export function checkParts<Body>(
  given: BotParts<Body>,
  names: Readonly<Record<string, true>> = BOT_PARTS,
): CheckedParts<Body> {
  const { stt, llm, tts, body, name = 'Voicebot' } = given;
  const problems = unknownOptions(given, names);
  if (typeof name !== 'string' || name === '') problems.push('name must be text');
  if (body !== undefined && typeof body?.safeParseAsync !== 'function') problems.push('body must be a zod schema');
  for (const [part, choice] of Object.entries({ stt, tts })) {
    if (choice !== undefined && !isService(choice))
      problems.push(`${part} must be a service such as ${EXAMPLES[part]}`);
  }
  if (llm !== undefined && Object(llm) !== llm)
    problems.push("llm must be a language model such as openai('gpt-4.1-mini')");
  refuseProblems(problems);
  const modelOptions = llm && modelOptionsOf(llm);
  requireKeys(
    'the bot',
    [...new Set([keyOf(stt), modelOptions && keyOfModel(modelOptions.model), keyOf(tts)])].filter(
      (key) => key !== undefined,
    ),
  );
  const parts = {
    stt: () => create(stt),
    llm: () => modelOptions && new LLMService(modelOptions),
    tts: () => create(tts),
  };
  for (const make of Object.values(parts)) make(); // refuses bad options now, not when the call is there
  return {
    ...parts,
    name,
    checkBody: async (data) => {
      if (!body) return { body: data as Body };
      const checked = await body.safeParseAsync(data);
      return checked.success ? { body: checked.data } : { problems: checked.error.issues.map(problemOf) };
    },
    load: async () => {
      await Promise.all([modelOptions && LLMService.load(), ...[stt, tts].map(loadService)]);
    },
  };
}

const EXAMPLES: Readonly<Record<string, string>> = { stt: 'deepgram()', tts: 'cartesia()' };

function isService(choice: unknown): choice is ServiceChoice {
  return typeof choice === 'function' || typeof (choice as Partial<Service> | null)?.create === 'function';
}

const keyOf = (choice: ServiceChoice | undefined) => (typeof choice === 'object' ? choice.key : undefined);

const create = (choice: ServiceChoice | undefined) => (typeof choice === 'function' ? choice() : choice?.create());

const loadService = (choice: ServiceChoice | undefined) => (typeof choice === 'object' ? choice.load?.() : undefined);

const modelOptionsOf = (llm: LanguageModel | LLMServiceOptions): LLMServiceOptions =>
  'model' in llm ? llm : { model: llm };

/** A model tells its key by the headers of its requests: it throws when it has none. Others are asked nothing. */
function keyOfModel(model: LanguageModel): VendorName | undefined {
  const { provider, config } = model as LanguageModel & { config?: { headers?: unknown } };
  const name = String(provider).split('.')[0] ?? '';
  if (!Object.hasOwn(VENDORS, name) || typeof config?.headers !== 'function') return undefined;
  try {
    config.headers();
    return undefined;
  } catch {
    return name as VendorName;
  }
}

function problemOf({ path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
  return `${['body', ...path].map(String).join('.')}: ${message}`;
}
