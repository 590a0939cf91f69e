import { VoicebotError } from '../../../base/errors.js';
import { type OptionNames, refuseUnknownOptions } from '../../../base/names/option-names.js';
import type { ProviderCallId } from '../../../call/call-id.js';
import type {
  Carrier,
  CarrierCredentials,
  StreamCodec,
  StreamFormat,
  StreamMessage,
} from '../../../providers/carrier.js';
import { carrierApiUrl, carrierByName, carrierInUse } from '../../../providers/registry/carriers.js';

/** Which stream and call a {@link CarrierFrameSerializer} is for. */
export interface CarrierFrameSerializerOptions {
  /** Identifier of the media stream, `stream_id` of the parsed call data. */
  streamId: string;
  /** The carrier's call identifier, `call_id` of the parsed call data. */
  callId: string;
  /** With {@link authToken} present too, the call is ended at the carrier when the pipeline ends. */
  authId?: string | undefined;
  authToken?: string | undefined;
  /** Base address of the carrier's voice API. Default `CARRIER_API_URL`, else the carrier's own. */
  apiUrl?: string | undefined;
  /** The transport type that `parseTelephonyWebSocket` returned. Default `CARRIER`, else `plivo`. */
  carrier?: string;
}

const OPTIONS: OptionNames<CarrierFrameSerializerOptions> = {
  streamId: true,
  callId: true,
  authId: true,
  authToken: true,
  apiUrl: true,
  carrier: true,
};

/** Turns one call's stream messages into values and back, and knows what is needed to end the call. */
export class CarrierFrameSerializer {
  /** The carrier's identifier of the call. */
  readonly callId: ProviderCallId;
  /** @internal */
  readonly carrier: Carrier;
  /** Present when both halves of the credentials were given. @internal */
  readonly credentials: CarrierCredentials | undefined;
  #streamId: string;
  #format: StreamFormat;
  #codec: StreamCodec;

  /**
   * @throws VoicebotError VB_CONFIG_INVALID naming every option that is not known, VB_IDENTIFIER_INVALID for a call id that could
   *   not safely enter a URL, VB_CARRIER_UNSUPPORTED
   */
  constructor(options: CarrierFrameSerializerOptions) {
    refuseUnknownOptions(options, OPTIONS);
    this.carrier = carrierByName(options.carrier ?? carrierInUse());
    if (!this.carrier.isCallId(options.callId)) throw new VoicebotError('VB_IDENTIFIER_INVALID', 'callId');
    this.callId = options.callId;
    this.#streamId = options.streamId;
    this.#format = this.carrier.capabilities.audio.telephone;
    this.#codec = this.carrier.createCodec(this.#streamId, this.#format);
    const { authId, authToken, apiUrl = carrierApiUrl(this.carrier) } = options;
    this.credentials = authId && authToken ? { authId, authToken, apiUrl } : undefined;
  }

  /**
   * Never throws; what cannot be understood comes back as `malformed`.
   * @param message the text, or its UTF-8 bytes: from these, audio costs the least
   * @internal
   */
  decode(message: string | Buffer): StreamMessage {
    return this.#codec.decode(message);
  }

  /** What the stream carries, both ways: mono telephone audio, mu-law at 8000 Hz, unless its `start` says otherwise. @internal */
  get format(): StreamFormat {
    return this.#format;
  }

  /** The stream's `start` says what it carries. @internal */
  carry(format: StreamFormat): void {
    const { encoding, sampleRate } = this.#format;
    if (format.encoding === encoding && format.sampleRate === sampleRate) return;
    this.#format = format;
    this.#codec = this.carrier.createCodec(this.#streamId, format);
  }

  /** The message that has audio played. @param payload as the stream carries it: mu-law at 8000 Hz, or little-endian L16 */
  encodeAudio(payload: Uint8Array): string {
    return this.#codec.encodeAudio(payload);
  }

  /** The message that asks to be told when everything sent before it has been played. */
  encodeMark(name: string): string {
    return this.#codec.encodeMark(name);
  }

  /** The message that drops audio which has not been played. */
  encodeClear(): string {
    return this.#codec.encodeClear();
  }

  /**
   * The message that presses keys.
   * @param digits 1 to 64 of `0-9 * # A-D`
   * @returns undefined where the carrier cannot send digits on the media stream
   * @throws VoicebotError VB_REQUEST_INVALID
   */
  encodeDtmf(digits: string): string | undefined {
    return this.#codec.encodeDtmf(digits);
  }

  /** Goes on with another media stream of the same call. */
  beginStream(streamId: string): void {
    this.#streamId = streamId;
    this.#codec = this.carrier.createCodec(streamId, this.#format);
  }
}
