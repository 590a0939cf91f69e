import * as voicebot from '../../src/index.js';
import { read } from './repository.js';

const rows = [
  ...read('docs/contributing/specification-names.md').matchAll(
    /^\| `([^`]+)` \| `([^`]+)` \| \[([^\]]+)\]\(\.\.\/\.\.\/([^)]+)\) \|$/gm,
  ),
].map(([, name = '', ours = '', label, file = '']) => ({ name, ours, label, file }));

/** What the specification names, section by section. */
const SPECIFICATION = [
  ['RunnerArguments', 'room_url', 'token', 'body', 'phone_number'],
  ['RoomsDialinRequest', 'dialin_settings', 'call_id', 'call_domain', 'From', 'daily_api_key', 'daily_api_url'],
  ['RoomsDialinSettings', 'call_id', 'call_domain'],
  ['RoomsTransport', 'RoomsParams', 'api_key', 'api_url', 'dialin_settings', 'audio_in_enabled', 'audio_out_enabled'],
  ['video_out_enabled', 'transcription_enabled'],
  ['properties', 'pinless_dialin', 'phone_number', 'room_creation_api'],
  ['stream_id', 'call_id', 'CarrierFrameSerializer', 'auth_id', 'auth_token', 'add_wav_header', 'serializer'],
  ['toEndPoint', 'Response', 'Stream', 'bidirectional', 'keepCallAlive', 'contentType'],
  ['POST /rooms-dialin-webhook', 'POST /start', '/ws'],
  ['start_dialout', 'sip_call_transfer', 'parse_telephony_websocket', 'on_dialout_answered', 'end frame'],
  ['audio_in_sample_rate', 'audio_out_sample_rate', 'port 7860'],
  ['CARRIER_AUTH_ID', 'CARRIER_AUTH_TOKEN', 'ROOMS_API_KEY', 'ROOMS_API_URL', 'OPERATOR_NUMBER'],
];

test('docs/contributing/specification-names.md has every name of the specification', () => {
  const documented = rows.flatMap(({ name }) => [name, name.split('.').at(-1)]);
  expect(SPECIFICATION.flat().filter((name) => !documented.includes(name))).toEqual([]);
});

test.each(rows)('$name is $ours in $file', ({ ours, label, file }) => {
  expect(label).toBe(file);
  const escaped = ours.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  expect(read(file)).toMatch(new RegExp(`(?<![\\w-])${escaped}(?!\\w)`));
});

test('its classes and functions can be imported from voicebot', () => {
  const classes = [
    'RoomsTransport',
    'CarrierFrameSerializer',
    'WebSocketTransport',
    'EndFrame',
    'parseTelephonyWebSocket',
  ];
  for (const name of classes) expect(voicebot).toHaveProperty(name, expect.any(Function));
});
