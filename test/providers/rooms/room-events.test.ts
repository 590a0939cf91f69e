import { roomEventOf } from '../../../src/providers/rooms/room-events.js';
import { readRoomMessage } from '../../../src/providers/rooms/webrtc/room-message.js';

const participant = { session_id: 's', user_name: 'Caller', owner: false, participantType: 'pstn-dial-in' };

test.each([
  [
    { action: 'participant-joined', participant, callClientId: 'c' },
    { name: 'participant_joined', data: { sessionId: 's', userName: 'Caller', isOwner: false, kind: 'dial-in' } },
  ],
  [
    { action: 'participant-left', participant: { session_id: 's' } },
    { name: 'participant_left', data: { sessionId: 's', userName: '', isOwner: false, kind: 'web' } },
  ],
  [
    { action: 'dialin-ready', sipEndpoint: 'sip:a@b', provider: 'p' },
    { name: 'dialin_ready', data: { sipEndpoint: 'sip:a@b' } },
  ],
  [
    { action: 'dialin-connected', sessionId: 's', sipFrom: '+1', sipHeaders: { 'X-A': 'b', bad: 1 } },
    { name: 'dialin_connected', data: { sessionId: 's', sipFrom: '+1', sipHeaders: { 'X-A': 'b' } } },
  ],
  [
    { action: 'dialin-stopped', sessionId: 's' },
    { name: 'dialin_stopped', data: { sessionId: 's' } },
  ],
  [
    { action: 'dialin-warning', errorMsg: 'codec' },
    { name: 'dialin_warning', data: { errorMsg: 'codec' } },
  ],
  [
    { action: 'dialin-error', errorMsg: 'no', type: 'start-failed', sessionId: '' },
    { name: 'dialin_error', data: { errorMsg: 'no', type: 'start-failed' } },
  ],
  [
    { action: 'dialin-error', errorMsg: `\u001b[2Jno\u202e\n${'x'.repeat(400)}` },
    { name: 'dialin_error', data: { errorMsg: `no ${'x'.repeat(296)}…` } },
  ],
  [
    { action: 'dialin-error', type: 'other' },
    { name: 'dialin_error', data: { errorMsg: '' } },
  ],
  [
    { action: 'dialout-connected', sessionId: 's', destination: '+1', callerId: '+2', origin: 'o' },
    { name: 'dialout_connected', data: { sessionId: 's', destination: '+1', callerId: '+2' } },
  ],
  [
    { action: 'dialout-answered', sessionId: 's' },
    { name: 'dialout_answered', data: { sessionId: 's' } },
  ],
  [
    { action: 'dialout-stopped', sessionId: 's' },
    { name: 'dialout_stopped', data: { sessionId: 's' } },
  ],
  [
    { action: 'dialout-warning', errorMsg: 'w', sessionId: 's' },
    { name: 'dialout_warning', data: { errorMsg: 'w', sessionId: 's' } },
  ],
  [
    { action: 'dialout-error', errorMsg: 'busy' },
    { name: 'dialout_error', data: { errorMsg: 'busy' } },
  ],
  [
    { action: 'dtmf-event', tone: '#', sessionId: 's' },
    { name: 'dtmf', data: { digit: '#', sessionId: 's' } },
  ],
  [
    { action: 'dtmf-event', tone: '5' },
    { name: 'dtmf', data: { digit: '5' } },
  ],
])('%j', (event, expected) => {
  expect(roomEventOf(event)).toEqual(expected);
});

test.each([
  { action: 'app-message', data: {} },
  { action: 'participant-joined', participant: {} },
  { action: 'participant-joined' },
  { action: 'dialin-ready' },
  { action: 'dialin-connected' },
  { action: 'dialout-answered', sessionId: 7 },
  { action: 'dtmf-event', tone: 'E' },
])('%j means nothing', (event) => {
  expect(roomEventOf(event)).toBeUndefined();
});

test.each([
  'not JSON',
  '[]',
  'null',
  '{}',
  '{"type":"joined","sessionId":"s","sdp":"v=0"}',
  '{"type":"event","event":{}}',
  '{"type":"response"}',
])('%s is no message of a room', (text) => {
  expect(readRoomMessage(text)).toBeUndefined();
});
