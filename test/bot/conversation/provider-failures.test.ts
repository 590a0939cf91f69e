import { createOpenAI } from '@ai-sdk/openai';
import { ownSentence } from '../../../src/bot/conversation/own-sentences.js';
import { recordedLine } from '../../../src/bot/pipeline/recorded-lines.js';
import { Conversation, endCallTool } from '../../../src/doors/pipeline.js';
import { CartesiaTTS, DeepgramSTT, LLMService, type ProviderError } from '../../../src/doors/services.js';
import {
  type BotFunction,
  CarrierFrameSerializer,
  Pipeline,
  PipelineTask,
  parseTelephonyWebSocket,
  WebSocketTransport,
} from '../../../src/index.js';
import {
  buzz,
  FakeCartesia,
  type FakeCartesiaOptions,
  FakeDeepgram,
  FakeLanguageModel,
  type FakeModelReply,
  type FakeModelScript,
  FakePhone,
} from '../../../src/lab/kit/index.js';
import { HastyClock } from '../../hasty-clock.js';

/** Everything else that the bot says is much shorter. */
const APOLOGY_MS = recordedLine('apology').pcm.length / 8;

interface CallOptions {
  /** What the model says. Default: an answer, and then the end of the call. */
  readonly replies?: FakeModelScript;
  readonly voice?: FakeCartesiaOptions;
  /** Makes a provider fail before the call. */
  readonly prepare?: (providers: { deepgram: FakeDeepgram; cartesia: FakeCartesia }) => void;
}

/** A caller on a fake phone asks, and hears the answer or an apology, until the bot ends the call. */
async function callTo({ replies, voice = {}, prepare }: CallOptions) {
  using _clock = new HastyClock();
  await using deepgram = await FakeDeepgram.start({ texts: ['When do you open?', 'Thank you.'] });
  await using model = await FakeLanguageModel.start({
    replies: replies ?? [{ text: 'At seven.' }, { toolCalls: [{ name: 'end_call', input: {} }] }],
  });
  await using cartesia = await FakeCartesia.start({ characterMs: 15, ...voice });
  prepare?.({ deepgram, cartesia });
  const failures: ProviderError[] = [];
  const bot: BotFunction = async (args) => {
    if (args.transport !== 'carrier') throw new Error('expected a carrier call');
    const [, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(args.websocket);
    const serializer = new CarrierFrameSerializer({ streamId, callId });
    const transport = new WebSocketTransport(args.websocket, { serializer });
    const conversation = new Conversation({ greeting: 'Bakery.', tools: [endCallTool()], log: () => {} });
    conversation.on('failed', (error) => failures.push(error));
    const pipeline = new Pipeline([
      transport.input(),
      new DeepgramSTT({ apiKey: 'key', baseUrl: deepgram.url }),
      conversation.user(),
      new LLMService({ model: createOpenAI({ apiKey: 'key', baseURL: model.url }).chat('scripted') }),
      new CartesiaTTS({ apiKey: 'key', baseUrl: cartesia.url, cache: false }),
      transport.output(),
      conversation.assistant(),
    ]);
    const task = new PipelineTask(pipeline, { signal: args.signal });
    task.on('problem', () => {});
    await task.run();
  };
  await using phone = await FakePhone.call(bot);
  const talks = async () => {
    for (let times = 0; times < 2; times += 1) {
      await phone.hears({ withinMs: 10_000 });
      await phone.hearsSilence({ forMs: 800 });
      phone.say(buzz(1_000, 8_000));
    }
  };
  await Promise.race([talks().catch(() => {}), phone.ended]);
  const { reason, botError } = await phone.ended;
  if (botError) throw botError;
  const spoken = [...new Set(cartesia.requests.map(({ text }) => text.trim()))].join(' '); // guesses ask for it as well
  const audibleMs = phone.heard.filter((sample) => Math.abs(sample) > 100).length / 8;
  return { reason, failures, spoken, hasApologised: audibleMs > APOLOGY_MS / 2 };
}

test.each<[string, CallOptions]>([
  ['speech to text refuses the key', { prepare: ({ deepgram }) => deepgram.refuse(401, 'Who is this?') }],
  ['the voice refuses the key', { prepare: ({ cartesia }) => cartesia.refuse(401, 'Who is this?') }],
  ['the model refuses the key', { replies: { status: 401, error: 'Who is this?' } }],
  ['the model hangs', { replies: { hang: true } }],
  ['the model breaks off again and again', { replies: { text: 'At seven in the morning.', breakOffAfter: 2 } }],
  ['the voice hangs', { voice: { reply: () => 'hang' } }],
  ['the voice breaks within each word, always', { voice: { characterMs: 60, reply: () => ({ dropAfterMs: 50 }) } }],
  ['speech to text falls silent', { prepare: ({ deepgram }) => deepgram.fallSilent() }],
])(
  'the caller hears the recorded apology, and the call ends for provider_error, when %s',
  async (_name, options) => {
    const { reason, failures, hasApologised } = await callTo(options);
    expect(reason).toBe('provider_error');
    expect(failures).toHaveLength(1);
    expect(hasApologised).toBe(true);
  },
  30_000,
);

let failures = 0;
/** The voice breaks in the middle of the answer, and then no more. */
const failsOnce = (text: string) => {
  if (!text.includes('seven')) return 'speak';
  failures += 1;
  return failures === 1 ? { dropAfterMs: 60 } : 'speak';
};

test.each<[string, CallOptions]>([
  [
    'the model fails',
    { replies: [{ status: 500 }, { text: 'At seven.' }, { toolCalls: [{ name: 'end_call', input: {} }] }] },
  ],
  ['the voice breaks in the middle', { voice: { reply: failsOnce } }],
])(
  'the call goes on when %s once',
  async (_name, options) => {
    const { reason, failures, hasApologised } = await callTo(options);
    expect(reason).toBe('bot_ended');
    expect(failures).toEqual([]);
    expect(hasApologised).toBe(false);
  },
  30_000,
);

const END: FakeModelReply = { toolCalls: [{ name: 'end_call', input: {} }] };
const FILTERED: FakeModelReply = { status: 400, error: 'The prompt triggered the content management policy.' };
const AT_SEVEN: FakeModelReply = { text: 'At seven.' };

test.each<[name: string, first: FakeModelReply, again: FakeModelReply, words: string]>([
  ['says nothing, twice', {}, {}, ownSentence('not_understood', 'en')],
  ['has only an emoji to say, twice', { text: '🙂' }, { text: '…' }, ownSentence('not_understood', 'en')],
  ['is not let answer', FILTERED, FILTERED, ownSentence('cannot_answer', 'en')],
  ['says nothing at first', {}, AT_SEVEN, 'At seven.'],
  ['thinks aloud', { text: '<think>They want hours.</think>At seven.' }, {}, 'At seven.'],
])(
  'the caller hears something, and the call goes on, when the model %s',
  async (_name, first, again, words) => {
    const { reason, failures, spoken } = await callTo({
      replies: (messages) => {
        const asked = messages.at(-1)?.text ?? '';
        if (asked.includes('Thank you')) return END;
        return asked.includes('Answer in words') ? again : first;
      },
    });
    expect({ reason, failures }).toEqual({ reason: 'bot_ended', failures: [] });
    expect(spoken).toBe(`Bakery. ${words}`);
  },
  30_000,
);
