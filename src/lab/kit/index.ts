/**
 * Phones, rooms, providers and a phone network for the tests of a bot.
 * @module voicebot/testing
 */

export type { BuiltInCarrier, CarrierName } from '../../providers/registry/carrier-names.js';
export type { CarrierFace, FaceOptions } from '../../sandbox/carrier/face.js';
export type { BrokenStreams, SandboxFaults } from '../../sandbox/carrier/faults.js';
export type { CarrierSandbox, RoomsSandbox } from '../../sandbox/extension-side.js';
export type { TextSpeaker } from '../../sandbox/network/speech.js';
export type { NewAccount } from '../../sandbox/new-account.js';
export { type PlivoFace, plivoFace } from '../../sandbox/plivo/face.js';
export type { RoomEventFault, RoomEventName } from '../../sandbox/rooms/event-faults.js';
export type { RoomsApiRequest, RoomsFace, RoomsFaceOptions, SignedRoomsWebhook } from '../../sandbox/rooms/face.js';
export type { TransferOrder } from '../../sandbox/rooms/room-lines.js';
export type { TickSummary } from '../../sandbox/rooms/tick-statistics.js';
export { type Sandbox, type SandboxOptions, type SandboxTiming, startSandbox } from '../../sandbox/sandbox.js';
export type { CallCheck, CheckedCall } from '../scenario/call-check.js';
export type { CallerMoment, CallerPlayer, CallerTurn } from '../scenario/caller-player.js';
export type { Decibels, Duration, Percentage } from '../scenario/fields.js';
export type { Judge, JudgedCall, Verdict } from '../scenario/judge.js';
export { callerPlayedBy, type PlayedCaller } from '../scenario/model-caller.js';
export { judgedBy } from '../scenario/model-judge.js';
export type { ModelMessage, ModelQuestion, ModelReply, ModelScript } from '../scenario/model-script.js';
export { type Scenario, scenario } from '../scenario/scenario.js';
export type {
  DialoutOptions,
  ExpectOptions,
  FaultOptions,
  FaultTiming,
  FollowingCallOptions,
  ModelRule,
  NetworkOptions,
  PlayedFunctionOptions,
  ScenarioOptions,
  StepOptions,
  StepTiming,
} from '../scenario/scenario-options.js';
export type { Words } from '../scenario/words.js';
export { type CarrierConformanceOptions, carrierConformance } from './conformance/carrier-conformance.js';
export type { CarrierFixtures } from './conformance/carrier-fixtures.js';
export { type EarConformanceOptions, earConformance } from './conformance/ear-conformance.js';
export { type RoomConformanceOptions, roomConformance } from './conformance/room-conformance.js';
export type { RoomFixtures, RoomForClients } from './conformance/room-fixtures.js';
export type { ServiceConformanceOptions } from './conformance/service-conformance.js';
export { type VoiceConformanceOptions, voiceConformance } from './conformance/voice-conformance.js';
export type { EarSession } from './ear-session.js';
export { FakeCartesia, type FakeCartesiaOptions } from './fake-cartesia.js';
export { FakeDeepgram, type FakeDeepgramOptions, type SpeakHandler } from './fake-deepgram.js';
export { FakeDeepgramSpeak, type FakeDeepgramSpeakOptions } from './fake-deepgram-speak.js';
export type { FakeEarOptions, FakeEarServer, ServeSocket } from './fake-ear-server.js';
export { FakeElevenLabs } from './fake-elevenlabs.js';
export { FakeElevenLabsScribe, type SocketClass } from './fake-elevenlabs-scribe.js';
export { FakeGeminiLive } from './fake-gemini-live.js';
export { FakeGptLive } from './fake-gpt-live.js';
export type { FakeSpeechOrder } from './fake-http-speech.js';
export { FakeLanguageModel, type FakeLanguageModelOptions, type FakeModelScript } from './fake-language-model.js';
export type { FakeModelMessage, FakeModelReply, FakeModelRequest, FakeModelUsage } from './fake-model-reply.js';
export { FakeOpenAISpeech } from './fake-openai-speech.js';
export { FakeOpenAITranscription } from './fake-openai-transcription.js';
export { FakePhone, type FakePhoneOptions } from './fake-phone.js';
export { FakeRealtime } from './fake-realtime.js';
export type { FakeRequest } from './fake-request.js';
export { FakeRoom, type FakeRoomOptions } from './fake-room.js';
export type { FakeRefusal } from './fake-socket-server.js';
export { buzz, type FakeChunk, type FakeEncoding, type FakeSpeechReply, type FakeVoiceOptions } from './fake-speech.js';
export type {
  FakeSpeechCancel,
  FakeSpeechRequest,
  FakeUtterance,
  FakeVoiceServer,
  OnMessage,
  SpeechFields,
} from './fake-voice-server.js';
export { FakeXai } from './fake-xai.js';
export type { FluxEvent, FluxSession } from './flux-session.js';
export { joinSandboxRoom } from './join-sandbox-room.js';
export type { ListenSession } from './listen-session.js';
export type {
  FakeLiveItem,
  FakeLiveMoment,
  FakeLiveOptions,
  FakeLiveReply,
  FakeLiveScript,
} from './live/fake-live-reply.js';
export type { FakeLiveServer } from './live/fake-live-server.js';
export type { FakeLiveSession } from './live/fake-live-session.js';
export type { GeminiSession } from './live/gemini-session.js';
export type { GptLiveContext, GptLiveSession } from './live/gpt-live-session.js';
export type { RealtimeSession } from './live/realtime-session.js';
export type { XaiSession } from './live/xai-session.js';
export type { OpenAITranscriptionSession } from './openai-transcription-session.js';
export type { ScribeSession } from './scribe-session.js';
export type { CallEnd } from './test-phone.js';
export type { DecideTransfer } from './transfer-stage.js';
