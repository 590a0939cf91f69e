/**
 * A runner in the server of an application.
 * @module voicebot/embed
 */

export { type ErrorCode, VoicebotError } from '../../base/errors.js';
export type { Logger } from '../../base/logger.js';
export { type EmbedOptions, type EmbeddedDialOptions, type EmbeddedRunner, embedRunner } from './embed-runner.js';
