import { hostOf } from './listed-names.js';
import type { AiModel } from './model-kind.js';
import { VENDORS, type Vendor, type VendorAccount, type VendorName } from './vendor.js';

/** What packages of vendors keep in a model, although its type does not say so. */
interface ModelConfig {
  readonly headers?: unknown;
  readonly webSocket?: unknown;
  readonly fetch?: unknown;
  readonly baseURL?: unknown;
  readonly url?: unknown;
}

/** Values of headers that carry a key, behind the word that names the scheme. */
const KEY_HEADERS = /^(?:authorization|x-goog-api-key|.*-api-key|api-key)$/i;

const configOf = (model: AiModel): ModelConfig | undefined => {
  const { config } = model as AiModel & { config?: unknown };
  return typeof config === 'object' && config !== null ? config : undefined;
};

/** The part before the dot: `openai` of `openai.chat`. @param provider of a model; of one that a project wrote, anything */
export const ownerOf = (provider: unknown): string => String(provider).split('.', 1)[0] || String(provider);

/** Whose model it is, behind a gateway too: `openai.chat` and `openai/tts-1` of a gateway are both of `openai`. */
export function vendorNameOf({ provider, modelId }: Pick<AiModel, 'provider' | 'modelId'>): string {
  const name = ownerOf(provider);
  return name === 'gateway' ? (modelId.split('/', 1)[0] ?? name) : name;
}

/** By {@link ownerOf}: a gateway is a vendor of its own here, and so is Google's cloud. */
export function vendorOf({ provider }: Pick<AiModel, 'provider'>): Vendor {
  const name = String(provider).startsWith('google.vertex') ? 'Google Vertex' : ownerOf(provider);
  const known: Readonly<Record<string, Vendor>> = VENDORS;
  return (
    known[name] ?? { name, keyVariable: 'its API key', urlVariable: '', defaultUrl: '', keysUrl: 'where it was made' }
  );
}

/**
 * A model tells its key by the headers of its requests: it throws when it has none. Others are asked nothing.
 * @returns the vendor whose variable is not set
 */
export function missingKeyOf(model: AiModel): VendorName | undefined {
  const name = ownerOf(model.provider);
  if (!Object.hasOwn(VENDORS, name) || typeof configOf(model)?.headers !== 'function') return undefined;
  return headersOf(model) ? undefined : (name as VendorName);
}

/** Whom a model asks, and the key it does that with, so that no error repeats it. */
export function accountOf(model: AiModel): VendorAccount {
  const headers = Object.entries(headersOf(model) ?? {});
  const [, value] = headers.find(([name]) => KEY_HEADERS.test(name)) ?? [];
  // a model may get its key when it asks: then it is not known
  const apiKey =
    String(value ?? '')
      .split(' ')
      .at(-1) ?? '';
  return { provider: vendorOf(model), apiKey, baseUrl: '' };
}

/** The host that a model asks; undefined for one that hides what it was made of. */
export function hostOfModel(model: AiModel): string | undefined {
  const { baseURL, url } = configOf(model) ?? {};
  if (typeof baseURL === 'string') return hostOf(baseURL);
  try {
    return typeof url === 'function' ? hostOf(url({ path: '/', modelId: model.modelId })) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The same model with another WebSocket class, where its package takes one and the project has given none: that of Node sends no
 * headers, and Node 20 has none. A model that hides what it was made of is returned as it is.
 */
export function withWebSocket<Model extends AiModel>(model: Model, webSocket: unknown): Model {
  return configOf(model)?.webSocket === undefined ? withConfig(model, { webSocket }) : model;
}

/** The same model with another `fetch`; undefined for one that hides what it was made of. */
export function withFetch<Model extends AiModel>(model: Model, fetch: typeof globalThis.fetch): Model | undefined {
  return configOf(model) && withConfig(model, { fetch });
}

function withConfig<Model extends AiModel>(model: Model, changes: ModelConfig): Model {
  const config = configOf(model);
  return config ? Object.create(model, { config: { value: { ...config, ...changes } } }) : model;
}

/** @returns undefined when it has no key */
function headersOf(model: AiModel): Readonly<Record<string, unknown>> | undefined {
  const { headers } = configOf(model) ?? {};
  if (typeof headers !== 'function') return {};
  try {
    const given: unknown = headers();
    if (given instanceof Promise) given.catch(() => {});
    return Object(given);
  } catch {
    return undefined;
  }
}
