import type { Attributes } from '@opentelemetry/api';
import { serviceWords } from '../../call/service-name.js';
import type { BotEntry } from '../../call/timeline.js';

/** Names of providers in the semantic conventions, by those of vendors and of the `ai` package; others go by their own. */
const NAMES: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'aws.bedrock',
  azure: 'azure.ai.openai',
  google: 'gcp.gemini',
  'google vertex': 'gcp.vertex_ai',
  'google.vertex': 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  moonshotai: 'moonshot_ai',
  xai: 'x_ai',
};

/** @param provider as a model or a service has it, such as `openai.chat` or `Deepgram` */
function providerName(provider: string): string {
  const [maker = '', product] = provider.toLowerCase().split('.');
  return NAMES[`${maker}.${product}`] ?? NAMES[maker] ?? maker;
}

/**
 * What every span of a request to a model or a voice has. `speech_to_text` and `text_to_speech` are not among the operations that
 * the conventions name yet; others are allowed, and these are the ones proposed.
 * @see https://github.com/open-telemetry/semantic-conventions-genai
 */
export function requestAttributes(
  operation: 'chat' | 'speech_to_text' | 'text_to_speech',
  { provider, model }: { readonly provider?: string | undefined; readonly model?: string | undefined },
): Attributes {
  return {
    'gen_ai.operation.name': operation,
    ...(provider && { 'gen_ai.provider.name': providerName(provider) }),
    ...(model && { 'gen_ai.request.model': model }),
    ...(operation === 'chat' && { 'gen_ai.request.stream': true }),
    ...(operation === 'text_to_speech' && { 'gen_ai.output.type': 'speech' }),
  };
}

/** A service takes over from one that has failed. */
export function switchAttributes({
  does,
  from,
  to,
  ms,
  errorType = '_OTHER',
}: Extract<BotEntry, { type: 'service_switched' }>): Attributes {
  return {
    'voicebot.service.does': does,
    'voicebot.service.from': serviceWords({ ...from, provider: providerName(from.provider) }),
    'gen_ai.provider.name': providerName(to.provider),
    ...(to.model && { 'gen_ai.request.model': to.model }),
    'voicebot.service.without': ms / 1_000,
    'error.type': errorType,
  };
}

/** The conventions have a span's name say what is done with what. */
export const spanName = (operation: string, object: string | undefined): string =>
  object ? `${operation} ${object}` : operation;
