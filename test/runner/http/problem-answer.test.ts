import { ERROR_SUMMARIES, type ErrorCode, VoicebotError } from '../../../src/base/errors.js';
import { ProviderRequestError } from '../../../src/base/http/provider-request-error.js';
import { DialLimitError } from '../../../src/runner/dialing/dial-limits.js';
import { problemAnswer } from '../../../src/runner/http/problem-answer.js';

test.each([
  ['VB_REQUEST_INVALID', 400],
  ['VB_UNAUTHORISED', 401],
  ['VB_TARGET_REFUSED', 403],
  ['VB_REQUEST_CONFLICT', 409],
  ['VB_BODY_TOO_LARGE', 413],
  ['VB_DIAL_LIMIT', 429],
  ['VB_CREDENTIALS_REFUSED', 502],
  ['VB_CARRIER_REQUEST_FAILED', 502],
  ['VB_CARRIER_UNREACHABLE', 503],
  ['VB_CALL_UNCERTAIN', 503],
  ['VB_RUNNER_STOPPING', 503],
] as const)('%s is answered with %i', (code, status) => {
  expect(problemAnswer(new VoicebotError(code, 'why', { hint: 'what now' }))).toMatchObject({
    status,
    body: { version: 1, error: { code, message: `${ERROR_SUMMARIES[code]}: why`, hint: 'what now' } },
  });
});

test('a failure without a hint has none', () => {
  expect(problemAnswer(new VoicebotError('VB_TARGET_REFUSED')).body.error).toEqual({
    code: 'VB_TARGET_REFUSED',
    message: ERROR_SUMMARIES.VB_TARGET_REFUSED,
  });
});

test('the status of the carrier is not the one of the answer', () => {
  const error = new ProviderRequestError('VB_CARRIER_REQUEST_FAILED', 'the number is barred', { status: 400 });
  expect(problemAnswer(error)).toMatchObject({ status: 502, body: { error: { code: 'VB_CARRIER_REQUEST_FAILED' } } });
});

test('asks for a bearer token', () => {
  expect(problemAnswer(new VoicebotError('VB_UNAUTHORISED')).headers).toEqual({ 'www-authenticate': 'Bearer' });
});

test('says when to come back where that is known', () => {
  expect(problemAnswer(new DialLimitError('too many', 'wait', 17)).headers).toEqual({ 'retry-after': '17' });
  expect(problemAnswer(new DialLimitError('too many', 'wait')).headers).toEqual({});
});

const others = (Object.keys(ERROR_SUMMARIES) as ErrorCode[]).filter(
  (code) => problemAnswer(new VoicebotError(code)).status === 500,
);

test.each([
  ['an error', new Error('secret')],
  ['a text', 'secret'],
  ['undefined', undefined],
  ['null', null],
  ['an error of another library', { status: 400, message: 'secret' }],
  ...others.map((code): [string, unknown] => [code, new VoicebotError(code, 'secret', { hint: 'secret' })]),
])('says nothing of %s but that it happened', (_what, error) => {
  const answer = problemAnswer(error);
  expect(answer.status).toBe(500);
  expect(JSON.stringify(answer)).not.toContain('secret');
});
