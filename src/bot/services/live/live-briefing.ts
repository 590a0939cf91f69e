import type { ContextPart } from '../../conversation/context-entry.js';
import type { LLMContext } from '../../conversation/llm-context.js';
import { aiPackage } from '../llm/ai-package.js';
import { toModelMessages } from '../llm/model-messages.js';
import { toModelTools } from '../llm/model-tools.js';
import type { LiveSettings } from './manner.js';

/** What a session is told before anything is said. */
export interface LiveBriefing extends Pick<LiveSettings, 'instructions' | 'tools'> {
  /** What of the conversation its instructions hold. */
  readonly parts: readonly ContextPart[];
}

/** Of a session that no conversation has begun in. */
export const NO_BRIEFING: LiveBriefing = { instructions: '', tools: [], parts: [] };

/** @throws VoicebotError VB_CONFIG_INVALID when the `ai` package, which describes the functions, is not there */
export async function briefingOf(context: LLMContext): Promise<LiveBriefing> {
  const { messages, parts, tools } = context;
  const spoken = parts.findIndex((part) => part.messages.some(({ role }) => role !== 'system'));
  return {
    instructions: toModelMessages(messages).system,
    tools: tools.length > 0 ? await describe(tools) : [],
    parts: spoken < 0 ? parts : parts.slice(0, spoken),
  };
}

async function describe(tools: LLMContext['tools']): Promise<LiveSettings['tools']> {
  const described = (await toModelTools(await aiPackage(), tools)) ?? {};
  return Promise.all(
    Object.entries(described).map(async ([name, { description = '', inputSchema }]) => ({
      type: 'function' as const,
      name,
      description: String(description),
      parameters: (await (inputSchema as { jsonSchema?: unknown })
        .jsonSchema) as LiveSettings['tools'][number]['parameters'],
    })),
  );
}
