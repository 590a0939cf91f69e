import type { FakeModelMessage, FakeModelReply, FakeModelUsage } from './fake-model-reply.js';

/** How one of OpenAI's two interfaces reads a request and writes its events. */
export interface ModelWire {
  messages(body: Record<string, unknown>): FakeModelMessage[];
  tools(body: Record<string, unknown>): string[];
  /** Each call returns the text of some server-sent events. */
  start(model: string): string;
  piece(text: string): string;
  error(words: string): string;
  end(reply: FakeModelReply, callIds: readonly string[]): string;
}

/** Fields of a request, which the fake has not checked. */
// biome-ignore lint/suspicious/noExplicitAny: a fake reads them as the real server would, and fails its request otherwise
type ModelFields = any;

const event = (fields: unknown) => `data: ${JSON.stringify(fields)}\n\n`;
const textOf = (content: ModelFields): string =>
  Array.isArray(content) ? content.map(({ text }) => text ?? '').join('') : (content ?? '');
const argumentsOf = (input: unknown) => (typeof input === 'string' ? input : JSON.stringify(input));
/** Both have it, and it says the same. */
const roleOf = (role: string) => (role === 'developer' ? 'system' : role) as FakeModelMessage['role'];

/** `POST /v1/chat/completions`, streamed. */
export const chatWire: ModelWire = {
  messages: ({ messages }) =>
    (messages as ModelFields[]).map(({ role, content, tool_calls = [], tool_call_id }) => ({
      role: roleOf(role),
      text: textOf(content),
      toolCalls: tool_calls.map((call: ModelFields) => ({
        id: call.id,
        name: call.function.name,
        input: JSON.parse(call.function.arguments),
      })),
      toolCallId: tool_call_id,
    })),
  tools: ({ tools = [] }) => (tools as ModelFields[]).map((tool) => tool.function.name),
  start: () => chunk({ role: 'assistant', content: '' }),
  piece: (content) => chunk({ content }),
  error: (message) => event({ error: { message, type: 'server_error', code: null, param: null } }),
  end: ({ toolCalls = [], usage }, ids) => {
    const calls = toolCalls.map(({ name, input }, index) =>
      chunk({
        tool_calls: [{ index, id: ids[index], type: 'function', function: { name, arguments: argumentsOf(input) } }],
      }),
    );
    const end = chunk({}, calls.length > 0 ? 'tool_calls' : 'stop');
    return `${calls.join('')}${end}${usage ? chatUsage(usage) : ''}data: [DONE]\n\n`;
  },
};

/** The last message of a stream, where the request wants it. */
function chatUsage({ input, cached = 0, output }: FakeModelUsage): string {
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
  return event({ id: 'chatcmpl-fake', object: 'chat.completion.chunk', created: 0, model: 'fake', choices: [], usage });
}

function chunk(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  return event({ id: 'chatcmpl-fake', object: 'chat.completion.chunk', created: 0, model: 'fake', choices });
}

const MESSAGE_ID = 'msg_fake';

/** `POST /v1/responses`, streamed. */
export const responsesWire: ModelWire = {
  messages: ({ input }) => (input as ModelFields[]).map(itemOf),
  tools: ({ tools = [] }) => (tools as ModelFields[]).map(({ name }) => name),
  start: (model) =>
    event({ type: 'response.created', response: { id: 'resp_fake', created_at: 0, model } }) +
    event({ type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: MESSAGE_ID } }),
  piece: (delta) => event({ type: 'response.output_text.delta', item_id: MESSAGE_ID, output_index: 0, delta }),
  error: (message) =>
    event({ type: 'response.failed', sequence_number: 0, response: { error: { code: 'server_error', message } } }),
  end: ({ toolCalls = [], usage: told = { input: 0, output: 0 } }, ids) => {
    const done = event({
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'message', id: MESSAGE_ID },
    });
    const calls = toolCalls.map(({ name, input }, index) => {
      const item = { type: 'function_call', id: `fc_${ids[index]}`, call_id: ids[index], name };
      const place = { output_index: index + 1 };
      return (
        event({ type: 'response.output_item.added', ...place, item: { ...item, arguments: '' } }) +
        event({
          type: 'response.output_item.done',
          ...place,
          item: { ...item, arguments: argumentsOf(input), status: 'completed' },
        })
      );
    });
    const usage = {
      input_tokens: told.input,
      input_tokens_details: { cached_tokens: told.cached ?? 0 },
      output_tokens: told.output,
    };
    return done + calls.join('') + event({ type: 'response.completed', response: { usage } });
  },
};

function itemOf({ type, role, content, call_id, name, arguments: input, output }: ModelFields): FakeModelMessage {
  if (type === 'function_call') {
    return { role: 'assistant', text: '', toolCalls: [{ id: call_id, name, input: JSON.parse(input) }] };
  }
  if (type === 'function_call_output') {
    return { role: 'tool', text: textOf(output), toolCalls: [], toolCallId: call_id };
  }
  return { role: roleOf(role), text: textOf(content), toolCalls: [] };
}
