import { refuseProblems } from '../../base/names/option-names.js';
import { languageName } from '../../call/language-name.js';
import { languageProblems } from '../pipeline/language.js';
import { defineTool, type Tool } from './tool.js';

export interface LanguageToolOptions {
  /** BCP 47 tags. */
  readonly languages: readonly string[];
  /** What the model calls it. */
  readonly name: string;
  readonly description?: string | undefined;
  /** Has a language spoken from here on. */
  speak(language: string): void;
}

/**
 * A function with which the model changes what is spoken in the call.
 * @throws VoicebotError VB_CONFIG_INVALID naming every tag that is malformed, and for an empty list
 */
export function languageTool({ languages, name, description, speak }: LanguageToolOptions): Tool {
  if (!Array.isArray(languages) || languages.length === 0)
    refuseProblems(['languages must list one language at least']);
  refuseProblems(languages.flatMap((one, index) => languageProblems(one ?? null, `languages[${index}]`)));
  return defineTool({
    name,
    description:
      description ??
      `Has the call go on in another language: ${languages.map(languageName).join(', ')}. Call it when the caller asks for one of these or speaks it, and answer in it then.`,
    parameters: {
      type: 'object',
      properties: { language: { type: 'string', enum: [...languages] } },
      required: ['language'],
    },
    execute(input) {
      const { language } = Object(input) as { language?: unknown };
      const known = languages.find((one) => one === language);
      if (known === undefined) throw new Error(`there is no such language; there are ${languages.join(', ')}`);
      speak(known);
      return { spoken: languageName(known) };
    },
  });
}
