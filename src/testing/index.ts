export { FakeLanguageModel, type FakeLanguageModelOptions, type FakeModelScript } from './fake-language-model.js';
export type { FakeModelMessage, FakeModelReply, FakeModelRequest } from './fake-model-reply.js';
export { type CallEnd, FakePhone, type FakePhoneOptions } from './fake-phone.js';
export type { DecideTransfer } from './transfer-stage.js';
