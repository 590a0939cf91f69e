import { jest } from '@jest/globals';
import { fvadDetector } from '../../src/audio/fvad-detector.js';

let isInstalled = false;
jest.unstable_mockModule('@echogarden/fvad-wasm', () => {
  if (!isInstalled) throw new Error('Cannot find package');
  return { default: async () => ({ _malloc: () => 8, _fvad_new: () => 0 }) };
});

test('says what to install where the package is missing, and only when it is needed', async () => {
  const create = fvadDetector();
  await expect(create(8_000)).rejects.toMatchObject({
    code: 'VB_CONFIG_INVALID',
    message: 'Configuration is not valid: fvadDetector needs the package @echogarden/fvad-wasm',
    hint: 'npm install @echogarden/fvad-wasm',
  });
});

test('refuses a call when the module has no memory for it', async () => {
  isInstalled = true;
  await expect(fvadDetector()(8_000)).rejects.toMatchObject({ code: 'VB_INTERNAL' });
});
