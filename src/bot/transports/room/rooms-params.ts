import { type OptionNames, refuseProblems, unknownOptions } from '../../../base/names/option-names.js';
import type { RoomsDialinSettings } from '../../../call/rooms-dialin-request.js';
import type { JoinRoom, RoomTranscriptionOptions } from '../../../providers/rooms/room-connection.js';
import { transcriptionProblems } from './transcription-options.js';

/** How a `RoomsTransport` joins its room. */
export interface RoomsParams {
  /**
   * The room provider's key: `daily_api_key` of a `RoomsDialinRequest`, `ROOMS_API_KEY` otherwise. It fetches the held
   * caller.
   */
  apiKey: string;
  /** Base address of the room provider's REST API. Default `ROOMS_API_URL`, else the provider's own. */
  apiUrl?: string | undefined;
  /** The held call that is fetched into the room; left out on dial-out. */
  dialinSettings?: RoomsDialinSettings | undefined;
  /** Whether the pipeline gets what is said in the room. Default true. */
  audioInEnabled?: boolean;
  /** Whether the pipeline's audio is said in the room. Default true. */
  audioOutEnabled?: boolean;
  /** Only `false` is possible: a bot has a voice and no face. */
  videoOutEnabled?: boolean;
  /**
   * Whether the provider transcribes what is said, and how: its words come out of the transport's input, as from a speech to text service,
   * and are told as events. In a pipeline with speech to text of its own they are told as events only. Default false.
   */
  transcriptionEnabled?: boolean | RoomTranscriptionOptions;
  /**
   * How the room is joined. Default: rooms of the sandbox with the client in this package, others with the provider's own: Daily's, in a browser,
   * or that of an extension. `ROOMS_CLIENT` chooses one of them for all rooms.
   */
  connect?: JoinRoom;
}

const ROOMS_PARAMS: OptionNames<RoomsParams> = {
  apiKey: true,
  apiUrl: true,
  dialinSettings: true,
  audioInEnabled: true,
  audioOutEnabled: true,
  videoOutEnabled: true,
  transcriptionEnabled: true,
  connect: true,
};
const DIALIN_SETTINGS: OptionNames<RoomsDialinSettings> = { callId: true, callDomain: true };

/** @throws VoicebotError VB_CONFIG_INVALID naming everything that is missing, wrong or not known */
export function checkRoomsOptions(roomUrl: string, token: string, botName: string, params: RoomsParams): void {
  const { apiKey, apiUrl, dialinSettings, videoOutEnabled, connect }: RoomsParams = Object(params);
  const { callId, callDomain }: Partial<RoomsDialinSettings> = Object(dialinSettings);
  const rules: Array<[isMet: boolean, problem: string]> = [
    [isHttpUrl(roomUrl), 'roomUrl must be an http or https address'],
    [isText(token), 'token must be text'],
    [isText(botName), 'botName must be text'],
    [
      isText(apiKey),
      "apiKey must be the room provider's key: daily_api_key of the request, or process.env.ROOMS_API_KEY",
    ],
    [apiUrl === undefined || isHttpUrl(apiUrl), 'apiUrl must be an http or https address'],
    [!dialinSettings || isText(callId), 'dialinSettings.callId must be text'],
    [!dialinSettings || isText(callDomain), 'dialinSettings.callDomain must be text'],
    [videoOutEnabled !== true, 'videoOutEnabled must be false: there is voice only'],
    [connect === undefined || typeof connect === 'function', 'connect must be a function'],
  ];
  const problems = [
    ...unknownOptions(params, ROOMS_PARAMS),
    ...unknownOptions(dialinSettings, DIALIN_SETTINGS, 'dialinSettings.'),
    ...transcriptionProblems(Object(params).transcriptionEnabled),
    ...rules.filter(([isMet]) => !isMet).map(([, problem]) => problem),
  ];
  refuseProblems(problems);
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:/i.test(value) && URL.canParse(value);
}
