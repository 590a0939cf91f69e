import { PEER_HEADER, peerOf, signPeerRequest } from '../../../src/cluster/calls/peer-signature.js';
import { ownSigner } from '../../../src/runner/calls/carrier/stream-pass.js';

const FROM = 'a1b2c3d4e5f6';
const TO = '0123456789ab';
const PEERS = { from: FROM, to: TO };
const TARGET = '/cluster/calls/x/give?a=1';
const signer = ownSigner();

afterEach(() => jest.useRealTimers());

const request = (header: string | undefined, method = 'POST', url = TARGET) => ({
  headers: header === undefined ? {} : { [PEER_HEADER]: header },
  method,
  url,
});

test('a request of another runner says whose it is, and for whom', () => {
  expect(peerOf(signer, request(signPeerRequest(signer, PEERS, 'POST', TARGET)))).toEqual(PEERS);
});

test('a request for something else is not the one that was signed', () => {
  const header = signPeerRequest(signer, PEERS, 'POST', TARGET);
  expect(peerOf(signer, request(header, 'GET'))).toBeUndefined();
  expect(peerOf(signer, request(header, 'POST', `${TARGET}2`))).toBeUndefined();
  expect(peerOf(signer, request(header.replace(FROM, 'ffffffffffff')))).toBeUndefined();
  expect(peerOf(signer, request(header.replace(TO, 'ffffffffffff')))).toBeUndefined();
  expect(peerOf(ownSigner(), request(header))).toBeUndefined();
});

test.each([
  undefined,
  '',
  'a',
  `${FROM}.1`,
  `${FROM}.${TO}..x`,
  `${FROM}.${TO}.1.x y`,
  `${FROM}.${Date.now()}.abc`,
  `no-runner.${TO}.${Date.now()}.abc`,
])('the header %s is of nobody', (header) => {
  expect(peerOf(signer, request(header))).toBeUndefined();
});

test.each([
  ['16 s old', 16_000, undefined],
  ['14 s old', 14_000, PEERS],
  ['of a clock that is 14 s ahead', -14_000, PEERS],
  ['of a clock that is 16 s ahead', -16_000, undefined],
])('one that is %s', (_what, agoMs, expected) => {
  jest.useFakeTimers({ now: 1_000_000_000_000 - agoMs });
  const header = signPeerRequest(signer, PEERS, 'POST', TARGET);
  jest.setSystemTime(1_000_000_000_000);
  expect(peerOf(signer, request(header))).toEqual(expected);
});
