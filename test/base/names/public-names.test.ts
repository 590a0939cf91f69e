import { EventEmitter, once } from 'node:events';
import type { WebSocket } from 'ws';
import * as pipeline from '../../../src/doors/pipeline.js';
import {
  Conversation,
  defineTool,
  endCallTool,
  energyDetector,
  Frame,
  fvadDetector,
  LLMContext,
  sileroDetector,
  transferTool,
  VoicemailGate,
} from '../../../src/doors/pipeline.js';
import * as services from '../../../src/doors/services.js';
import {
  CartesiaTTS,
  DeepgramSTT,
  DeepgramTTS,
  ElevenLabsTTS,
  FliteTTS,
  type LanguageModel,
  LLMService,
  PhraseCache,
} from '../../../src/doors/services.js';
import * as voicebot from '../../../src/index.js';
import {
  acceptCall,
  CarrierFrameSerializer,
  cartesia,
  deepgram,
  deepgramVoice,
  defineBot,
  elevenlabs,
  endCall,
  flite,
  Pipeline,
  PipelineTask,
  parseTelephonyWebSocket,
  RoomsTransport,
  type RunnerArguments,
  transferTo,
  WebSocketTransport,
} from '../../../src/index.js';
import { FakePhone, FakeRoom } from '../../../src/lab/kit/index.js';

const ROOM: ConstructorParameters<typeof RoomsTransport> = [
  'http://127.0.0.1:9/room',
  'token',
  'Ada',
  { apiKey: 'key' },
];
const roomsTransport = (params: object = {}) =>
  new RoomsTransport(ROOM[0], ROOM[1], ROOM[2], { apiKey: 'key', ...params });
const serializer = () => new CarrierFrameSerializer({ streamId: 's', callId: 'c0ffee00-0000-4444-8888-0123456789ab' });
const webSocketTransport = (params: object = {}) =>
  new WebSocketTransport(new EventEmitter() as WebSocket, { serializer: serializer(), ...params });
const task = (options: object = {}) => new PipelineTask(new Pipeline([]), options);
const transfer = { to: '+12025550101', transport: { transfer: async () => ({ status: 'caller_left' as const }) } };
const tool = { name: 'a', description: 'b', parameters: { type: 'object' as const }, execute: () => {} };
const account = { apiKey: 'key' };
const model = { doStream: () => {} } as unknown as LanguageModel;

const WRONG: Array<[what: string, make: (options: never) => unknown, options: object, problem: string]> = [
  [
    'RoomsTransport',
    roomsTransport,
    { dialin_settings: {} },
    'dialin_settings is not known: did you mean dialinSettings?',
  ],
  [
    'dialinSettings',
    roomsTransport,
    { dialinSettings: { callId: 'a', callDomain: 'b', call_id: 'a' } },
    'dialinSettings.call_id is not known: did you mean callId?',
  ],
  ['WebSocketTransport', webSocketTransport, { audio_in_enabled: true }, 'did you mean audioInEnabled?'],
  ['CarrierFrameSerializer', (o) => new CarrierFrameSerializer(o), { auth_id: 'a' }, 'did you mean authId?'],
  ['PipelineTask', task, { idleTimeout: 5 }, 'did you mean idleTimeoutMs?'],
  ['Conversation', (o) => new Conversation(o), { greetings: 'Hello' }, 'did you mean greeting?'],
  ['turns', (o) => new Conversation(o), { turns: { silence: 5 } }, 'turns.silence is not known'],
  ['bargeIn', (o) => new Conversation(o), { bargeIn: { min_words: 2 } }, 'did you mean minWords?'],
  ['idle', (o) => new Conversation(o), { idle: { prompt: 'Hello?' } }, 'did you mean prompts?'],
  ['mute', (o) => new Conversation(o), { mute: ['greetings'] }, 'mute: greetings is not known: did you mean greeting?'],
  [
    'a text as holdLine',
    (o) => new Conversation(o),
    { holdLine: 'One moment' },
    'holdLine must be an OutputAudioFrame',
  ],
  [
    'a text as apology',
    (o) => new Conversation(o),
    { failure: { apology: 'Sorry' } },
    'failure.apology must be an OutputAudioFrame',
  ],
  ['failure', (o) => new Conversation(o), { failure: { apologys: 1 } }, 'did you mean apology?'],
  ['limit', (o) => new Conversation(o), { limit: { maxCharacter: 1_000 } }, 'did you mean maxCharacters?'],
  ['LLMContext', (o) => new LLMContext(o), { sytem: 'You are' }, 'did you mean system?'],
  ['VoicemailGate', (o) => new VoicemailGate(o), { on_machine: 1 }, 'did you mean onMachine?'],
  ['endCallTool', endCallTool, { goodBye: 'Bye' }, 'did you mean goodbye?'],
  [
    'transferTool',
    (o: object) => transferTool({ ...transfer, ...o }),
    { announcement: 'x' },
    'announcement is not known',
  ],
  ['defineTool', (o: object) => defineTool({ ...tool, ...o }), { timeout: 5 }, 'did you mean timeoutMs?'],
  ['DeepgramSTT', (o: object) => new DeepgramSTT({ ...account, ...o }), { lang: 'de' }, 'lang is not known'],
  ['CartesiaTTS', (o: object) => new CartesiaTTS({ ...account, ...o }), { voices: 'a' }, 'did you mean voice?'],
  ['ElevenLabsTTS', (o: object) => new ElevenLabsTTS({ ...account, ...o }), { voices: 'a' }, 'did you mean voice?'],
  ['DeepgramTTS', (o: object) => new DeepgramTTS({ ...account, ...o }), { api_key: 'a' }, 'did you mean apiKey?'],
  ['FliteTTS', (o) => new FliteTTS(o), { speed: 5 }, 'there are cache, apology, voice'],
  ['LLMService', (o: object) => new LLMService({ model, ...o }), { temprature: 1 }, 'did you mean temperature?'],
  ['PhraseCache', (o) => new PhraseCache(o), { dir: '/tmp' }, 'dir is not known'],
  ['energyDetector', energyDetector, { threshold: 5 }, 'threshold is not known'],
  ['fvadDetector', fvadDetector, { modes: 3 }, 'did you mean mode?'],
  ['sileroDetector', sileroDetector, { probabilty: 0.7 }, 'did you mean probability?'],
  ['defineBot', (o: object) => defineBot({ onCall: () => {}, ...o }), { onCal: 1 }, 'did you mean onCall?'],
  ['transferTo', (o) => transferTo('+12025550101', o), { announcement: 'x' }, 'announcement is not known'],
  ['endCall', endCall, { goodbye: 'Bye' }, 'goodbye is not known'],
  ['deepgram', (o: object) => deepgram({ ...account, ...o }).create(), { models: 'a' }, 'did you mean model?'],
  [
    'deepgramVoice',
    (o: object) => deepgramVoice({ ...account, ...o }).create(),
    { voices: 'a' },
    'did you mean voice?',
  ],
  ['cartesia', (o: object) => cartesia({ ...account, ...o }).create(), { voices: 'a' }, 'did you mean voice?'],
  ['elevenlabs', (o: object) => elevenlabs({ ...account, ...o }).create(), { voices: 'a' }, 'did you mean voice?'],
  ['flite', (o) => flite(o).create(), { voices: 'a' }, 'did you mean voice?'],
];

/** What has no options: what says so by its parameters alone, and what others are built on. */
const WITHOUT_OPTIONS = [
  ...['DtmfDetector', 'Resampler', 'ToneSource', 'Turn', 'Pipeline', 'FrameProcessor'],
  ...['VoicebotError', 'ProviderError', 'SttService', 'SocketVoice', 'TtsService'],
];

test('every class of the package that takes options is among these', () => {
  const isClass = (value: unknown) => typeof value === 'function' && /^class\b/.test(String(value));
  const isFrame = (value: unknown) => value === Frame || Object(value).prototype instanceof Frame;
  const classes = Object.entries({ ...voicebot, ...pipeline, ...services }).filter(
    ([, value]) => isClass(value) && !isFrame(value),
  );
  const checked = [...WRONG.map(([what]) => what), ...WITHOUT_OPTIONS];
  expect(classes.map(([name]) => name).filter((name) => !checked.includes(name))).toEqual([]);
});

test.each(WRONG)('%s refuses an option that it does not know', (_what, make, options, problem) => {
  const refusal = { code: 'VB_CONFIG_INVALID', message: expect.stringContaining(problem) };
  expect(() => make(options as never)).toThrow(expect.objectContaining(refusal));
});

test('all that is wrong is told at once', () => {
  const refused = () => roomsTransport({ dialin_settings: {}, apiUrl: 'x', videoOut: true });
  expect(refused).toThrow(/dialin_settings .*videoOut .*apiUrl must be/);
});

describe('a request that would do something else is refused', () => {
  const INVALID = { code: 'VB_REQUEST_INVALID', message: expect.stringContaining('did you mean') };
  const rooms = roomsTransport();
  test.each<[string, () => Promise<unknown>]>([
    ['sipCallTransfer in a room', () => rooms.sipCallTransfer({ to_end_point: '+12025550102' } as object)],
    ['sipRefer', () => rooms.sipRefer({ toEndpoint: 'sip:a@b' } as never)],
    ['stopDialout', () => rooms.stopDialout({ session_id: 'leg-2' } as object)],
    ['startDialout', () => rooms.startDialout({ phone_number: '+12025550102' } as object)],
    ['transfer in a room', () => rooms.transfer('+12025550102', { anounce: [] } as object)],
    ['sipCallTransfer', () => webSocketTransport().sipCallTransfer({ toEndpoint: '+12025550102' } as never)],
    ['transfer', () => webSocketTransport().transfer('+12025550102', { anounce: [] } as object)],
  ])('%s', async (_what, ask) => {
    await expect(ask()).rejects.toMatchObject(INVALID);
  });

  test.each([
    ['acceptCall', () => acceptCall({} as RunnerArguments, { voice: 1 } as object), 'voice is not known'],
    ['FakePhone', () => FakePhone.call(async () => {}, { form: '+12025550142' } as object), 'did you mean from?'],
    ['FakeRoom', () => FakeRoom.call(async () => {}, { dialOut: 1 } as object), 'did you mean dialout?'],
  ])('%s', async (_what, ask, problem) => {
    await expect(ask()).rejects.toMatchObject({ code: 'VB_CONFIG_INVALID', message: expect.stringContaining(problem) });
  });

  test('parseTelephonyWebSocket', async () => {
    const parsing = parseTelephonyWebSocket(new EventEmitter() as WebSocket, { timeout: 5 } as object);
    await expect(parsing).rejects.toMatchObject({ code: 'VB_CONFIG_INVALID' });
  });
});

const EMITTERS: Array<[what: string, make: () => object, event: string, problem: string]> = [
  ['RoomsTransport', roomsTransport, 'on_dialout_answered', 'did you mean dialout_answered?'],
  ['WebSocketTransport', webSocketTransport, 'disconnect', 'did you mean disconnected?'],
  ['PipelineTask', task, 'on_idle', 'did you mean idle?'],
  ['Conversation', () => new Conversation(), 'callerSaid', 'did you mean caller_said?'],
];

describe.each(EMITTERS)('%s', (what, make, event, problem) => {
  test('refuses handlers of an event that never comes', () => {
    const emitter = make() as EventEmitter;
    const refusal = {
      code: 'VB_CONFIG_INVALID',
      message: expect.stringContaining(`${what} has no event ${event}: ${problem}`),
    };
    for (const add of ['on', 'once', 'addListener', 'prependListener', 'prependOnceListener'] as const) {
      expect(() => emitter[add](event, () => {})).toThrow(expect.objectContaining(refusal));
    }
    expect(emitter.listenerCount(event)).toBe(0);
  });

  test("takes those of its own events and of Node's", async () => {
    const emitter = make() as EventEmitter;
    const known = /did you mean (.*)\?/.exec(problem)?.[1] ?? '';
    const came = once(emitter, known);
    emitter.on('removeListener', () => {});
    emitter.emit(known);
    await came;
  });
});
