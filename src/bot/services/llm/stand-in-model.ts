import { setTimeout as wait } from 'node:timers/promises';
import type { CallId } from '../../../call/call-id.js';
import type { LanguageModel } from './language-model.js';
import { askScript, scriptUrl } from './model-script.js';
import type { StandInPart, StandInReply, StandInRequest, StandInSchema, StandInTool } from './stand-in-request.js';

/** Words that say nothing about which function is meant. */
const COMMON_WORDS = new Set(
  (
    'a about all an and any are as at be call called caller can could did do does for from get give has have hello hi how i if in ' +
    'is it its let like me my need of on or our please say said so tell tells than that the their them then there they this to ' +
    'want was we what when where which who why will with would yes you your'
  ).split(' '),
);
const WEEKDAY = /\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tomorrow)\b/i;

/**
 * Stands in for a language model that needs a key. Where a script answers for models (see {@link scriptUrl}), it says what that says.
 * @param callId undefined where no runner has started the bot: no script is asked then
 */
export function standInModel(callId: CallId | undefined): LanguageModel & { readonly supportedUrls: object } {
  const url = callId && scriptUrl();
  const reply = url ? (request: StandInRequest) => askScript(url, callId, request) : replyTo;
  return {
    specificationVersion: 'v3',
    provider: 'voicebot',
    modelId: url ? 'script' : 'stand-in',
    supportedUrls: {},
    doStream: async (request: StandInRequest) => {
      const { delayMs = 0, ...said } = await reply(request);
      if (delayMs > 0) await wait(delayMs, undefined, { signal: request.abortSignal });
      return { stream: ReadableStream.from(partsOf(said)) };
    },
  };
}

/**
 * Calls the function whose name and description share words with what the caller has said, with words of theirs as its input, and
 * says what comes back. Otherwise it says what it has heard and can do.
 */
export function replyTo({ prompt, tools = [], toolChoice }: StandInRequest): StandInReply {
  const { role, content = '' } = prompt.at(-1) ?? {};
  const parts: readonly StandInPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (role === 'tool') return { text: parts.map(wordsOfResult).join(' ') };
  const said = parts
    .map(({ text = '' }) => text.trim().split('\n').at(-1))
    .join(' ')
    .trim();
  const [, told] = /^<system>(.*)<\/system>$/.exec(said) ?? [];
  if (told !== undefined) return { text: `I was told: ${asSentence(told)} I am a stand-in for the language model.` };
  const functions = toolChoice?.type === 'none' ? [] : tools.filter(({ type }) => type === 'function');
  const tool = toolFor(said, functions);
  if (tool) return { calls: [{ name: tool.name, input: fill(tool.inputSchema ?? { type: 'object' }, '', said) }] };
  const names = new Intl.ListFormat('en').format(functions.map(({ name }) => wordsOf(name).join(' ')));
  const able = names ? ` I can use ${names}.` : '';
  return { text: `You said: ${asSentence(said)} I am a stand-in for the language model.${able}` };
}

const asSentence = (text: string) => text.trim().replace(/[.!?]*$/, '.');

function wordsOfResult({ toolName = '', output }: StandInPart): string {
  const value = output?.value;
  const words = typeof value === 'string' ? value : JSON.stringify(value ?? null).replace(/[{}[\]"]+/g, '');
  const name = wordsOf(toolName).join(' ');
  const is = output?.type.startsWith('error') ? 'has failed' : 'says';
  return `The function ${name} ${is}: ${asSentence(words.replace(/(?<=[,:])(?=\S)/g, ' ').replaceAll('_', ' '))}`;
}

/** The function that shares most with the sentence: a word of its name counts twice. */
function toolFor(said: string, tools: readonly StandInTool[]): StandInTool | undefined {
  const spoken = new Set(wordsOf(said).filter((word) => !COMMON_WORDS.has(word)));
  const shared = (text: string) => wordsOf(text).filter((word) => [...spoken].some((one) => isSame(one, word))).length;
  const points = tools.map(({ name, description = '' }) => 2 * shared(name) + shared(description));
  const best = Math.max(0, ...points);
  return best > 0 ? tools[points.indexOf(best)] : undefined;
}

/** Of `openingHours` and `opening_hours` the same two. */
const wordsOf = (text: string) =>
  text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** `open` and `opening`, but not `the` and `they`. */
const isSame = (one: string, other: string) =>
  one === other || (Math.min(one.length, other.length) >= 4 && (one.startsWith(other) || other.startsWith(one)));

/** A value that fits the schema, as far as the sentence has one. */
function fill(schema: StandInSchema, name: string, said: string): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum)
    return schema.enum.find((one) => said.toLowerCase().includes(String(one).toLowerCase())) ?? schema.enum[0];
  if (schema.anyOf?.[0]) return fill(schema.anyOf[0], name, said);
  const type = [schema.type].flat()[0];
  const number = /\d+(?:\.\d+)?/.exec(said)?.[0];
  if (type === 'number') return Number(number ?? schema.minimum ?? 1);
  if (type === 'integer') return Math.round(Number(number ?? schema.minimum ?? 1));
  if (type === 'boolean') return !/\b(?:no|not|never)\b/i.test(said);
  if (type === 'array') return [fill(schema.items ?? {}, name, said)];
  if (type !== 'object' && !schema.properties) return textFor(`${name} ${schema.description ?? ''}`, said);
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(fields.map(([field, of]) => [field, fill(of, field, said)]));
}

/** A weekday or a number where one is asked for, else a name or a number that was said, else the last word that is not a common one. */
function textFor(asked: string, said: string): string {
  const day = /day|date|when/i.test(asked) ? WEEKDAY.exec(said)?.[0] : undefined;
  const named = /(?<=[^\s.!?]\s+)(?!I\b)\p{Lu}[\p{L}'-]+(?:\s+\p{Lu}[\p{L}'-]+)*/u.exec(said)?.[0];
  const word = said.match(/[\p{L}\p{N}'-]+/gu)?.findLast((one) => !COMMON_WORDS.has(one.toLowerCase()));
  const digits = /\d[\d ]*\d|\d/.exec(said)?.[0];
  const isNumber = /number|phone|code|order|\bid\b/i.test(asked);
  return day ?? (isNumber ? (digits ?? named) : (named ?? digits)) ?? word ?? said;
}

/** As the AI SDK's models stream it. */
function partsOf({ text = '', calls = [] }: StandInReply): object[] {
  const id = '0';
  const reason = calls.length > 0 ? 'tool-calls' : 'stop';
  const words = [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: text },
    { type: 'text-end', id },
  ];
  return [
    { type: 'stream-start', warnings: [] },
    ...(text === '' ? [] : words),
    ...calls.map(({ name, input = {} }, index) => ({
      type: 'tool-call',
      toolCallId: `${index}`,
      toolName: name,
      input: JSON.stringify(input),
    })),
    { type: 'finish', finishReason: { unified: reason, raw: reason }, usage: { inputTokens: {}, outputTokens: {} } },
  ];
}
