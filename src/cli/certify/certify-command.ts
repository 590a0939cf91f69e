import { shellWord } from '../../base/process/shell-word.js';
import type { CertifyOptions } from './certify-request.js';

/** An option that is undefined is left out. */
export type OptionChanges = { readonly [Name in keyof CertifyOptions]?: CertifyOptions[Name] | undefined };

/** The command as it was typed, with changes. */
export function certifyCommandLine(typed: CertifyOptions, changes: OptionChanges = {}): string {
  const words = Object.entries({ ...typed, ...changes }).flatMap(([name, value]) => {
    const option = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === undefined || value === false) return [];
    if (value === true) return [option];
    return [value].flat().flatMap((one) => [option, shellWord(String(one))]);
  });
  return ['npx voicebot certify', ...words].join(' ');
}
