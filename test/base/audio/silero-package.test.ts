import { type SileroDetectorOptions, sileroDetector } from '../../../src/base/audio/silero-detector.js';
import { VoicebotError } from '../../../src/base/errors.js';
import { withOtherPackages } from '../../jest/other-packages.js';

const REFUSED = {
  code: 'VB_CONFIG_INVALID',
  message: 'Configuration is not valid: sileroDetector needs the package @ricky0123/vad-web',
  hint: 'npm install @ricky0123/vad-web',
};
const NO_NATIVE = { 'onnxruntime-node': undefined };
const TRY = `
  import { sileroDetector } from 'dist/base/audio/silero-detector.js';
  const create = sileroDetector();
  const tried = async () => create(8_000).then(() => tell('made'), ({ code, message, hint }) => tell({ code, message, hint }));`;

test('says what to install where the runtime is missing or cannot be loaded, and only when it is needed', async () => {
  for (const runtime of [undefined, 'throw new Error("of another machine")']) {
    const told = await withOtherPackages({ ...NO_NATIVE, 'onnxruntime-web/wasm': runtime }, `${TRY} await tried();`);
    expect(told).toEqual([REFUSED]);
  }
});

test('loads the network once for many calls, on one thread, and again after it failed', async () => {
  const runtime = `
    let fails = 1;
    export const env = { wasm: {} };
    export class Tensor { constructor(type, data) { this.data = data; } }
    export const InferenceSession = {
      async create(model) {
        globalThis.made = (globalThis.made ?? 0) + 1;
        if (fails-- > 0) throw new Error('not enough memory');
        globalThis.threads = env.wasm.numThreads;
        return {};
      },
    };`;
  const told = await withOtherPackages(
    { ...NO_NATIVE, 'onnxruntime-web/wasm': runtime },
    `${TRY} await tried(); await Promise.all([tried(), tried(), tried()]); tell([globalThis.made, globalThis.threads]);`,
  );
  expect(told).toEqual([REFUSED, 'made', 'made', 'made', [2, 1]]);
});

test('takes the native runtime where that is installed, on one thread', async () => {
  const native = `
    export default {
      env: { wasm: {} },
      Tensor: class { constructor(type, data) { this.data = data; } },
      InferenceSession: { create: async (model, options) => { globalThis.options = options; return {}; } },
    };`;
  const told = await withOtherPackages(
    { 'onnxruntime-node': native, 'onnxruntime-web/wasm': 'throw new Error("not asked for")' },
    `${TRY} await tried(); tell(globalThis.options);`,
  );
  expect(told).toEqual(['made', { intraOpNumThreads: 1, interOpNumThreads: 1 }]);
});

test('refuses options out of their range or not known, all together', () => {
  const bad = { probability: 2, thresholdDb: 1, hangoverMs: -1, hangover: 3 } as SileroDetectorOptions;
  expect(() => sileroDetector(bad)).toThrow(
    new VoicebotError(
      'VB_CONFIG_INVALID',
      'hangover is not known: did you mean hangoverMs?; probability must be 0.1 to 0.95, got 2; ' +
        'thresholdDb must be 4 to 30, got 1; hangoverMs must be 0 to 2000, got -1',
    ),
  );
});
