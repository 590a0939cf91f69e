import {
  candidateHosts,
  offeredCodecs,
  sectionCount,
  withCandidates,
} from '../../../../src/providers/rooms/webrtc/sdp.js';

const OFFER = [
  'v=0',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111 63 0 8',
  'a=rtpmap:111 opus/48000/2',
  'a=rtpmap:63 red/48000/2',
  'a=rtpmap:0 PCMU/8000',
  'a=candidate:1 1 udp 2122194687 192.0.2.7 45052 typ host generation 0',
  'a=candidate:2 1 udp 2122194687 759898a7-142a.local 45053 typ host generation 0',
  'a=candidate:3 1 udp 2122194687 127.0.0.1 45054 typ host generation 0',
  'a=end-of-candidates',
  '',
].join('\r\n');

test('reads the codecs in the order of the offer', () => {
  expect(offeredCodecs(OFFER)).toEqual([
    { name: 'opus', payloadType: 111 },
    { name: 'red', payloadType: 63 },
    { name: 'PCMU', payloadType: 0 },
    { name: '', payloadType: 8 },
  ]);
});

test('finds no codecs in a refused section, and in what is no description', () => {
  expect(offeredCodecs(OFFER.replace('audio 9', 'audio 0'))).toEqual([]);
  expect(offeredCodecs('')).toEqual([]);
  expect(offeredCodecs('m=video 9 UDP/TLS/RTP/SAVPF 96')).toEqual([]);
  expect(sectionCount(`${OFFER}m=video 9 UDP/TLS/RTP/SAVPF 96`)).toBe(2);
});

test('reads addresses and leaves names out', () => {
  expect(candidateHosts(OFFER)).toEqual(['192.0.2.7', '127.0.0.1']);
});

test('keeps the wanted candidates only, and no names', () => {
  const kept = withCandidates(OFFER, (host) => host === '127.0.0.1');
  expect(candidateHosts(kept)).toEqual(['127.0.0.1']);
  expect(kept).not.toContain('.local');
  expect(kept).not.toContain('end-of-candidates');
  expect(offeredCodecs(kept)).toEqual(offeredCodecs(OFFER));
  expect(withCandidates(OFFER, () => true)).not.toContain('.local');
});
