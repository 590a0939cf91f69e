import { withOtherPackages } from '../../jest/other-packages.js';

const TRY = `
  import { fvadDetector } from 'dist/base/audio/fvad-detector.js';
  await fvadDetector()(8_000).catch(({ code, message, hint }) => tell({ code, message, hint }));`;

test('says what to install where the package is missing, and only when it is needed', async () => {
  expect(await withOtherPackages({ '@echogarden/fvad-wasm': undefined }, TRY)).toEqual([
    {
      code: 'VB_CONFIG_INVALID',
      message: 'Configuration is not valid: fvadDetector needs the package @echogarden/fvad-wasm',
      hint: 'npm install @echogarden/fvad-wasm',
    },
  ]);
});

test('refuses a call when the module has no memory for it', async () => {
  const full = 'export default async () => ({ _malloc: () => 8, _fvad_new: () => 0 });';
  expect(await withOtherPackages({ '@echogarden/fvad-wasm': full }, TRY)).toMatchObject([{ code: 'VB_INTERNAL' }]);
});
