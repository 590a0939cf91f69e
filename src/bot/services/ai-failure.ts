import { ProviderError } from '../../base/provider-error.js';
import { toModelFailure } from './llm/model-error.js';
import type { AiModel } from './model-kind.js';
import type { VendorAccount } from './vendor.js';
import { KEY_WORDS } from './vendor-link.js';
import { withoutKey } from './vendor-socket.js';

/** What a model for ears or a voice has failed with, in the vendor's words and without its key. */
export function aiFailure(model: AiModel, account: VendorAccount, thrown: unknown): ProviderError {
  if (thrown instanceof ProviderError) return thrown;
  const { error } = toModelFailure(model, thrown);
  const words = withoutKey(account, error.message);
  const isAboutKey = error.status === undefined && KEY_WORDS.test(words);
  if (isAboutKey) return ProviderError.ofStatus(account.provider, 401, wordsOf(thrown, account));
  error.message = words;
  return error;
}

const wordsOf = (thrown: unknown, account: VendorAccount) =>
  withoutKey(account, String((thrown as Partial<Error> | undefined)?.message ?? '')).slice(0, 300);
