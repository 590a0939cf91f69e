/**
 * For packages that bring a carrier or a room provider of their own: the contracts, and what our own are made of.
 * @module voicebot/provider
 */
export type { DtmfDigit } from '../base/audio/dtmf-digit.js';
export { cleanText } from '../base/clean-text.js';
export { type ErrorCode, VoicebotError } from '../base/errors.js';
export type { ApiAnswer, ApiRequest } from '../base/http/api-connection.js';
export { isFields, type JsonFields } from '../base/http/json-fields.js';
export {
  ProviderRequestError,
  type ProviderRequestErrorOptions,
  unlessNotFound,
} from '../base/http/provider-request-error.js';
export type { Clock, RepeatPolicy, Repeats } from '../base/http/repeats.js';
export {
  type ListPage,
  type RequestObserver,
  type RestAnswer,
  RestClient,
  type RestOptions,
  type RestProfile,
  type RestRequest,
  type SentRequest,
} from '../base/http/rest-client.js';
export { shownText, statusText } from '../base/http/shown-text.js';
export { isSameSecret } from '../base/secret.js';
export type { CallDirection, EndReason } from '../call/call.js';
export { asProviderCallId, type ProviderCallId } from '../call/call-id.js';
export { callerNumber } from '../call/caller-number.js';
export type {
  NumberRoute,
  NumberRouting,
  RouteChange,
  RouteTarget,
  RouteUrls,
  UndoOutcome,
} from '../call/number-routing.js';
export { normalisePhoneNumber } from '../call/phone-number.js';
export {
  type AccountNames,
  addressHints,
  type CarrierRegions,
  type CarrierVariables,
  namesOf,
} from '../providers/account-names.js';
export { unknownNumber } from '../providers/account-numbers.js';
export { type AnswerForm, listObjects, readObject } from '../providers/account-objects.js';
export { ApplicationRouting } from '../providers/applications/application-routing.js';
export { type ApplicationDialect, ApplicationsApi } from '../providers/applications/applications-api.js';
export type {
  AccountNumber,
  AddressName,
  Application,
  CallAddress,
  CallAddresses,
  NumberLink,
  NumbersApi,
} from '../providers/applications/numbers-api.js';
export type {
  AnswerDial,
  AnswerHold,
  AnswerStep,
  AnswerStream,
  Carrier,
  CarrierCapabilities,
  CarrierCredentials,
  CarrierRestClient,
  CarrierWebhook,
  DialNews,
  DialOutcome,
  MachineDetection,
  PlaceCallRequest,
  SignedRequest,
  StreamCodec,
  StreamEncoding,
  StreamFormat,
  StreamMessage,
  TrialWebhook,
  WebhookContent,
  WebhookCredentials,
  WebhookEvent,
} from '../providers/carrier.js';
export { type CarrierHint, type CarrierRefusal, hintIn, type WordHints } from '../providers/carrier-refusal.js';
export { daily } from '../providers/daily/provider.js';
export {
  type AudioOrder,
  base64Of,
  type EventReader,
  MessageReader,
  malformed,
  readMark,
  unsupported,
} from '../providers/message-reader.js';
export { placeOnce } from '../providers/place-once.js';
export { plivo } from '../providers/plivo/provider.js';
export { PROVIDER_CONTRACT, useExtension, type VoicebotExtension } from '../providers/registry/extensions.js';
export type { RoomReception } from '../providers/rooms/reception.js';
export type {
  DialinData,
  DialoutData,
  JoinOptions,
  JoinRoom,
  LegProblem,
  RoomConnection,
  RoomDialout,
  RoomEvents,
  RoomParticipant,
  RoomParticipantKind,
  RoomTranscriptionOptions,
  TranscriptionEvents,
  TranscriptionMessage,
} from '../providers/rooms/room-connection.js';
export type {
  DialinSecret,
  DialinWebhook,
  Room,
  RoomProvider,
  RoomRequest,
  RoomsCredentials,
  RoomsRestClient,
  RoomTokenRequest,
} from '../providers/rooms/room-provider.js';
export { JoinRefusedError, RemovedError, RequestLostError } from '../providers/rooms/room-refusal.js';
export { addContinuation, addDial, type DocumentVerbs, withParameters, writeSteps } from '../providers/shared-verbs.js';
export { telnyx } from '../providers/telnyx/provider.js';
export { twilio } from '../providers/twilio/provider.js';
export { cleanParameters, secondsToMs } from '../providers/webhook-parameters.js';
export { literal, writeXml, type XmlBuilder } from '../providers/xml-document.js';
