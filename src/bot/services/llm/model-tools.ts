import type { ToolSet } from 'ai';
import { isZodType, type Tool } from '../../conversation/tool.js';
import type { AiPackage } from './ai-package.js';

/** The JSON schema of a tool's input never changes, and takes longer to make than the rest of a request. */
const schemas = new WeakMap<Tool, ReturnType<AiPackage['jsonSchema']>>();

/** Describes tools to a model. Without `execute`: we run them; without a check of their input: that is done when they run. */
export async function toModelTools(ai: AiPackage, tools: readonly Tool[]): Promise<ToolSet | undefined> {
  if (tools.length === 0) return undefined;
  const entries = tools.map(async (tool) => {
    const inputSchema = schemas.get(tool) ?? ai.jsonSchema(await schemaOf(ai, tool));
    schemas.set(tool, inputSchema);
    return [tool.name, { description: tool.description, inputSchema }] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as ToolSet;
}

async function schemaOf(ai: AiPackage, { parameters }: Tool): Promise<Parameters<AiPackage['jsonSchema']>[0]> {
  return isZodType(parameters) ? ai.zodSchema(parameters).jsonSchema : (parameters as object);
}
