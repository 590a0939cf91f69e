import { ProviderError } from '../../../src/base/provider-error.js';
import { VENDORS } from '../../../src/bot/services/vendor.js';

test('a refusal is what the same request will meet again', () => {
  const isRefusal = (status: number) => ProviderError.ofStatus(VENDORS.deepgram, status, '').isRefusal;
  for (const status of [400, 401, 402, 403, 404, 422])
    expect({ status, is: isRefusal(status) }).toEqual({ status, is: true });
  for (const status of [408, 409, 425, 429, 500, 503, 1_006, 1_008]) {
    expect({ status, is: isRefusal(status) }).toEqual({ status, is: false });
  }
  expect(new ProviderError('Deepgram', 'VB_PROVIDER_FAILED', 'broke').isRefusal).toBe(false);
});
