import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { signV3 } from '../signature.js';

test('a V3 signature covers the address without its query, a point, and the nonce', () => {
  const expected = createHmac('sha256', 'token')
    .update('https://bot.example.com/answer.12345678901234567890')
    .digest('base64');
  assert.equal(signV3('https://bot.example.com/answer?call=1', '12345678901234567890', 'token'), expected);
});
