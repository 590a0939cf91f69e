export { FakeDeepgram, type FakeDeepgramOptions, type SpeakHandler } from './fake-deepgram.js';
export { FakeLanguageModel, type FakeLanguageModelOptions, type FakeModelScript } from './fake-language-model.js';
export type { FakeModelMessage, FakeModelReply, FakeModelRequest } from './fake-model-reply.js';
export { type CallEnd, FakePhone, type FakePhoneOptions } from './fake-phone.js';
export type { FakeRequest } from './fake-request.js';
export type { ListenSession } from './listen-session.js';
export type { DecideTransfer } from './transfer-stage.js';
