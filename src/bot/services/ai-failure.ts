import { VoicebotError } from '../../base/errors.js';
import { ProviderError } from '../../base/provider-error.js';
import { toModelFailure } from './llm/model-error.js';
import { type AiModel, describeModel } from './model-kind.js';
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

/** Why a model cannot be asked, as it says by itself, without a network. @param part of the bot that it was given as */
export function askingFailure(part: string, model: AiModel, { name, message }: Error): VoicebotError {
  const why = plainReason(message);
  if (name === 'AI_LoadAPIKeyError') return new VoicebotError('VB_CREDENTIALS_MISSING', `${part}: ${why}`);
  return new VoicebotError('VB_CONFIG_INVALID', `${part}: ${describeModel(model)} cannot be asked so: ${why}`);
}

/** A message as a part of a sentence. */
export const plainReason = (message: string): string => message.trim().replace(/\.$/, '');

const wordsOf = (thrown: unknown, account: VendorAccount) =>
  withoutKey(account, String((thrown as Partial<Error> | undefined)?.message ?? '')).slice(0, 300);
