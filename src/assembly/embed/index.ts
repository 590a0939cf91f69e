/**
 * A runner in the server of an application.
 * @module voicebot/embed
 */

export { type ErrorCode, VoicebotError } from '../../base/errors.js';
export type { Logger } from '../../base/logger.js';
export { type EmbeddedDialOptions, type EmbeddedRunner, type EmbedOptions, embedRunner } from './embed-runner.js';
