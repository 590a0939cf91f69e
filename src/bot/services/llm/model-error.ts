import { parseRetryAfter } from '../../../base/http/retry-after.js';
import { ProviderError } from '../../../base/provider-error.js';
import { vendorOf } from '../model-vendor.js';
import type { Vendor } from '../vendor.js';
import { fieldsOf, textOf } from '../vendor-fields.js';
import { vendorMessage, withoutKeys, wordsBeforeJson } from '../vendor-message.js';
import type { LanguageModel } from './language-model.js';
import { type RequestRefusal, requestRefusal } from './refusals.js';

/** A request to a model that failed. */
export interface ModelFailure {
  readonly error: ProviderError;
  /** Whether the same request may succeed another time. */
  readonly isPassing: boolean;
  /** What this one request is refused for, while others may be taken; undefined when nothing speaks for that. */
  readonly refusal?: RequestRefusal | undefined;
}

const BROKEN_OFF = 'the answer broke off';

/** What the errors of `ai` and of the vendors' packages have in common with each other. */
interface ModelErrorFields {
  readonly name?: string;
  readonly message?: string;
  readonly statusCode?: number;
  readonly responseBody?: string;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly code?: unknown;
  readonly isRetryable?: boolean;
  readonly cause?: { readonly name?: string; readonly message?: string };
}

/**
 * Says what an error of the `ai` package means, in the vendor's own words. The error itself is not kept as the cause: it
 * holds the whole request, and with it what the caller has said.
 */
export function toModelFailure(model: Pick<LanguageModel, 'provider'>, thrown: unknown): ModelFailure {
  if (thrown instanceof ProviderError) return { error: thrown, isPassing: !thrown.isFinal && !thrown.isRefusal };
  const fields = (
    typeof thrown === 'object' && thrown !== null ? thrown : { message: String(thrown) }
  ) as ModelErrorFields;
  const provider = vendorOf(model);
  if (fields.name === 'AI_LoadAPIKeyError') {
    const error = new ProviderError(provider.name, 'VB_CREDENTIALS_REFUSED', fields.message ?? 'no API key', {
      hint: keyHint(provider),
      isFinal: true,
    });
    return { error, isPassing: false };
  }
  const { statusCode: status } = fields;
  if (status === undefined || status === 200) {
    // the stream itself brought the error, or there was no answer at all
    const hasBrokenOff = status === 200 || fields.message === 'terminated';
    const detail = hasBrokenOff ? BROKEN_OFF : plainWords(fields) || BROKEN_OFF;
    const refusal = requestRefusal(status, `${detail} ${textOf(fields.code) ?? ''}`);
    const isPassing = !refusal && !/^AI_(Invalid|Unsupported|NoSuch|MissingTool)/.test(fields.name ?? '');
    return { error: new ProviderError(provider.name, 'VB_PROVIDER_FAILED', detail), isPassing, refusal };
  }
  const words = fields.responseBody ? vendorMessage(fields.responseBody) : plainWords(fields);
  const isRefusedKey = status === 401 || status === 403;
  const retryAfterMs = parseRetryAfter(fields.responseHeaders?.['retry-after']);
  const error = ProviderError.ofStatus(provider, status, isRefusedKey ? withoutKeys(words) : words, retryAfterMs);
  const refusal = requestRefusal(status, `${words} ${codeIn(fields.responseBody)}`);
  return { error, isPassing: fields.isRetryable ?? (status === 429 || status >= 500), refusal };
}

/** The code in the body of an error, of those who send one. */
function codeIn(body = ''): string {
  try {
    const fields = fieldsOf(JSON.parse(body));
    return textOf(fieldsOf(fields.error).code) ?? textOf(fields.code) ?? '';
  } catch {
    return '';
  }
}

/** What the error says, without what it shows of the request and of the answer. */
function plainWords({ name, message, cause }: ModelErrorFields): string {
  const names = `${name} ${cause?.name}`;
  if (/AI_(JSONParse|TypeValidation)Error/.test(names)) return 'what was sent cannot be read';
  return wordsBeforeJson(textOf(cause?.message) ?? textOf(message) ?? '');
}

/** A failure that no error was thrown for, and that may pass. */
export function modelFailure(model: LanguageModel, detail: string): ModelFailure {
  return { error: new ProviderError(vendorOf(model).name, 'VB_PROVIDER_FAILED', detail), isPassing: true };
}

/** A model that has written nothing, since its vendor does not let it. */
export function filteredAnswer(model: LanguageModel, detail: string): ModelFailure {
  return { ...modelFailure(model, detail), isPassing: false, refusal: 'content' };
}

function keyHint({ keyVariable, keysUrl }: Vendor): string {
  return `check ${keyVariable}: ${keysUrl}`;
}
