/**
 * Every code a VoicebotError can carry, with its one-line meaning. `docs/errors.md` has a section for each,
 * with its cause and its cure; a test compares the two.
 */
const SUMMARY = {
  VB_ANSWER_URL_FAILED: 'The answer URL did not give a usable document',
  VB_AUDIO_INVALID: 'Audio cannot be used as given',
  VB_BODY_TOO_LARGE: 'The custom data of a call is too large',
  VB_BOT_DIED: 'A bot process ended by itself',
  VB_BOT_LOAD_FAILED: 'The bot file could not be loaded',
  VB_BROWSER_FAILED: 'The browser that joins rooms cannot be used',
  VB_CALL_FAILED: 'The call did not succeed',
  VB_CALL_UNCERTAIN: 'The carrier may have placed the call',
  VB_CARRIER_AMBIGUOUS: 'Credentials of several carriers are set, and none is chosen',
  VB_CARRIER_REQUEST_FAILED: 'The carrier refused or failed a request',
  VB_CARRIER_UNREACHABLE: 'The carrier could not be reached',
  VB_CARRIER_UNSUPPORTED: 'This carrier is recognised but not supported yet',
  VB_CLUSTER_UNREACHABLE: 'The Redis of the cluster cannot be reached',
  VB_CLUSTER_UNSUITABLE: 'This runner cannot be part of the cluster',
  VB_CONFIG_INVALID: 'Configuration is not valid',
  VB_CONTACTS_INVALID: 'Some contacts of the campaign cannot be called',
  VB_CREDENTIALS_MISSING: 'Credentials are missing',
  VB_CREDENTIALS_REFUSED: 'The provider refused the credentials',
  VB_DEADLINE_EXCEEDED: 'A deadline passed',
  VB_DETECTOR_FAILED: 'The voice detector of a call failed',
  VB_DIAL_LIMIT: 'A limit on dialled calls is reached',
  VB_DISCLOSURE_MISSING: 'The bot does not say that a machine calls',
  VB_DISK_FULL: 'The disk is full',
  VB_DO_NOT_CALL: 'This number is on the do-not-call list',
  VB_DO_NOT_CALL_DAMAGED: 'The do-not-call list is damaged',
  VB_EXTENSION_INVALID: 'An extension cannot be used',
  VB_FILE_EXISTS: 'Files are in the way',
  VB_FUNCTION_NOT_PLAYED: 'The lab could not play a function, and it has not run',
  VB_IDENTIFIER_INVALID: 'An identifier is not of the expected form',
  VB_INTERNAL: 'The runner failed',
  VB_NOTICE_UNHEARD: 'What has to be heard first is not known to have been heard',
  VB_NUMBER_AMBIGUOUS: 'The account has several numbers, and none is chosen',
  VB_NUMBER_HELD: 'Another run holds this number',
  VB_NUMBER_NO_VOICE: 'No call can come to this number',
  VB_NUMBER_UNKNOWN: 'The account has no such number',
  VB_OUTSIDE_CALLING_HOURS: 'The callee may not be called at this hour',
  VB_PIPELINE_FAILED: 'The pipeline ended with an error',
  VB_PORT_IN_USE: 'The port is already in use',
  VB_PRICES_INVALID: 'The file of prices cannot be used',
  VB_PROVIDER_FAILED: 'A speech or model provider failed',
  VB_REGISTRATION_FAILED: 'The number could not be pointed at this runner',
  VB_REQUEST_CONFLICT: 'The idempotency key belongs to another request',
  VB_REQUEST_INVALID: 'The request is not valid',
  VB_RESTORE_FAILED: 'A number could not be given back',
  VB_ROOMS_REQUEST_FAILED: 'The room provider refused or failed a request',
  VB_ROOMS_UNREACHABLE: 'The room provider could not be reached',
  VB_ROOM_JOIN_FAILED: 'The room could not be joined',
  VB_RUNNER_NOT_FOUND: 'No running runner was found',
  VB_RUNNER_STOPPING: 'The runner is stopping',
  VB_SANDBOX_FAILED: 'The sandbox could not start',
  VB_SCENARIO_INVALID: 'A scenario is not valid',
  VB_STATE_NEWER: 'A newer version of voicebot has written the state directory',
  VB_STREAM_CLOSED: 'Media stream is closed',
  VB_STREAM_UNREADABLE: 'The media stream carries audio that cannot be read',
  VB_STREAM_UNRECOGNISED: 'The media stream was not recognised',
  VB_TARGET_REFUSED: 'This number may not be called',
  VB_TRANSFER_FAILED: 'The call could not be transferred',
  VB_TUNNEL_FAILED: 'The runner cannot be reached from outside',
  VB_UNAUTHORISED: 'The request is not authorised',
  VB_USAGE: 'The command line is not valid',
  VB_WAV_INVALID: 'Not a WAV file that can be used',
  VB_XML_INVALID: 'The document is not valid carrier XML',
} as const;

/**
 * What a program matches on; `docs/errors.md` has the cause and the cure of each.
 * @useDeclaredType
 */
export type ErrorCode = keyof typeof SUMMARY;

/** All codes with their summaries, for documentation and its test. */
export const ERROR_SUMMARIES: Readonly<Record<ErrorCode, string>> = SUMMARY;

/** What a {@link VoicebotError} has beside its code and its words. */
export interface VoicebotErrorOptions extends ErrorOptions {
  /** What to do next, in the imperative: a command to type or a setting to change. */
  hint?: string | undefined;
}

/** What of an error travels between processes. */
export interface ErrorFields {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The one error class of the project: match on `code`, show `message` and `hint` to people. */
export class VoicebotError extends Error {
  override readonly name: string = 'VoicebotError';
  readonly hint: string | undefined;

  constructor(
    readonly code: ErrorCode,
    detail?: string,
    options: VoicebotErrorOptions = {},
  ) {
    super(detail ? `${SUMMARY[code]}: ${detail}` : SUMMARY[code], options);
    this.hint = options.hint;
  }

  /** What to send of an error to another process; `code` is for one that has none. @internal */
  static fieldsOf(error: unknown, code: ErrorCode): ErrorFields {
    const known = error instanceof VoicebotError ? error : new VoicebotError(code, (error as Error).message);
    return { code: known.code, message: known.message, hint: known.hint };
  }

  /** The same error again, after its fields have come from another process. @internal */
  static revive({ code, message, hint }: ErrorFields): VoicebotError {
    const error = new VoicebotError(code, undefined, { hint });
    error.message = message;
    return error;
  }
}

/** The class of what was thrown, for statistics: its code, such as `VB_TRANSFER_FAILED` or `ECONNREFUSED`, else its name. No words of anybody. */
export function errorTypeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const { code } = thrown as Error & { readonly code?: unknown };
  return typeof code === 'string' ? code : thrown.name;
}
