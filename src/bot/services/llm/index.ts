export type { LanguageModel } from './language-model.js';
export { LLMService } from './llm-service.js';
export type { LLMServiceOptions } from './llm-service-options.js';
