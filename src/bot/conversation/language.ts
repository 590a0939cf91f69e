export { type Language, languageOf } from '../pipeline/language.js';
