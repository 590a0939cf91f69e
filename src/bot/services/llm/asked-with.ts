import { createHash } from 'node:crypto';
import type { Tool } from '../../conversation/tool.js';
import type { LLMMessage } from '../../pipeline/frames/index.js';
import type { AiPackage } from './ai-package.js';
import { toModelTools } from './model-tools.js';

/** What a model is asked with, as fingerprints of 12 hexadecimal digits: they tell whether it is another one, and no words of it. */
export interface AskedWith {
  /** Of the system prompt. */
  readonly prompt: string;
  /** Of each function that it may call: description and schema of the input. */
  readonly functions: Readonly<Record<string, string>>;
}

/** Tells what a model is asked with the first time, and whenever it has changed. */
export class ModelFingerprints {
  #prompt: string | undefined;
  #tools: readonly Tool[] = [];

  /** What was found last was not noted: it is another one again. */
  forget(): void {
    this.#prompt = undefined;
    this.#tools = [];
  }

  /** @returns nothing where it is what it was */
  async of(ai: AiPackage, messages: readonly LLMMessage[], tools: readonly Tool[]): Promise<AskedWith | undefined> {
    const prompt = promptOf(messages);
    const isSame =
      prompt === this.#prompt &&
      tools.length === this.#tools.length &&
      tools.every((one, at) => one === this.#tools[at]);
    if (isSame) return undefined;
    [this.#prompt, this.#tools] = [prompt, [...tools]];
    const described = Object.entries((await toModelTools(ai, tools)) ?? {});
    return {
      prompt: fingerprint(prompt),
      functions: Object.fromEntries(
        described.map(([name, { description, inputSchema }]) => [
          name,
          fingerprint(JSON.stringify([description, (inputSchema as { jsonSchema?: unknown }).jsonSchema])),
        ]),
      ),
    };
  }
}

function promptOf(messages: readonly LLMMessage[]): string {
  const first = messages.findIndex(({ role }) => role !== 'system');
  return JSON.stringify(first < 0 ? messages : messages.slice(0, first));
}

const fingerprint = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
