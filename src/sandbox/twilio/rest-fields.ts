import { z } from 'zod';
import { webhookUrl } from '../network/loopback.js';
import { ERRORS, type FieldErrors } from './rest-answer.js';

export const method = z.enum(['GET', 'POST']);
/** Empty: none. */
const address = z.literal('').or(webhookUrl);

/** Addresses that a number, and an application, can have. Other fields are tolerated. */
export const addressFields = {
  FriendlyName: z.string().max(64).optional(),
  VoiceUrl: address.optional(),
  VoiceMethod: method.optional(),
  VoiceFallbackUrl: address.optional(),
  VoiceFallbackMethod: method.optional(),
  StatusCallback: address.optional(),
  StatusCallbackMethod: method.optional(),
};

const INVALID_URL = 21_402;
const INVALID_METHOD = 21_403;

export const ADDRESS_ERRORS: FieldErrors = Object.fromEntries(
  Object.keys(addressFields).map((field) => [
    field,
    [ERRORS.invalidParameter, field.endsWith('Method') ? INVALID_METHOD : INVALID_URL],
  ]),
);

/** @param fields as they were read @returns those that are there */
export const given = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as ReturnType<typeof given<T>>;
