import { VoicebotError } from '../../src/base/errors.js';
import { transferRefusal } from '../../src/call/transfer-outcome.js';

describe('what a transport has thrown becomes an outcome', () => {
  test('a refusal, with its code, its words and itself', () => {
    const error = new VoicebotError('VB_TARGET_REFUSED', '+19005550100 is a premium number');
    expect(transferRefusal(error)).toEqual({
      status: 'refused',
      code: 'VB_TARGET_REFUSED',
      detail: error.message,
      error,
    });
  });

  test('a caller who has left, where nobody was there any more', () => {
    expect(transferRefusal(new VoicebotError('VB_STREAM_CLOSED'))).toEqual({ status: 'caller_left' });
  });

  test.each([new TypeError('no such thing'), Object.assign(new Error('gone'), { code: 'ECONNRESET' }), 'thrown text'])(
    'VB_TRANSFER_FAILED, where %p has no code of ours',
    (thrown) => {
      const { message } = thrown instanceof Error ? thrown : new Error(thrown);
      expect(transferRefusal(thrown)).toMatchObject({ status: 'refused', code: 'VB_TRANSFER_FAILED', detail: message });
    },
  );
});
