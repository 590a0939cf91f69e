import type { KeyNames } from '../../conversation/key-names.js';

/** What stands around a word: quotation marks, brackets, the marks of a sentence. */
const BEFORE = /^["'“‘„«‹([¿¡]*/u;
const BEHIND = /["'”’“»›)\].,;:!?…]*$/u;
/** Digits with at least one `*` or `#`. */
const KEYS = /^[\d*#]*[*#][\d*#]*$/;
const DIALLED =
  /\b(?:press|dial|enter|key|type|hit|drück|wähl|tipp|taste|eingab|puls|marqu|marc|tecl|appuy|compos|touche|prem[aei]\b|premere|digit)/iu;

/**
 * Writes out the `*` and `#` of a line that are keys: those that stand alone, and those among digits such as `*67` or `42#`. A `*` between
 * two numbers is a product, unless the line is about pressing. A `#` before a number, or at a word, is left as it is.
 */
export function spokenKeys(line: string, names: KeyNames): string {
  if (!/[*#]/.test(line)) return line;
  const isDialled = DIALLED.test(line);
  const text = withoutRepeats(line, names);
  return text.replace(/\S+/g, (word, at: number) => {
    const before = BEFORE.exec(word)?.[0] ?? '';
    const rest = word.slice(before.length);
    const behind = BEHIND.exec(rest)?.[0] ?? '';
    const keys = rest.slice(0, rest.length - behind.length);
    if (!KEYS.test(keys) || /^#\d+$/.test(keys) || /^\*\d+\*$/.test(keys)) return word;
    if (keys === '#' && names.star === 'star' && /^\s+of\b/i.test(text.slice(at + word.length))) return 'number';
    const isProduct = !isDialled && isBetweenNumbers(keys, text.slice(0, at), text.slice(at + word.length));
    return `${before}${saidOf(keys, isProduct ? { ...names, star: names.times } : names)}${behind}`;
  });
}

function isBetweenNumbers(keys: string, before: string, behind: string): boolean {
  return /^\d+\*\d+$/.test(keys) || (keys === '*' && /[\d%€$)]\s+$/.test(before) && /^\s+[\d€$(-]/.test(behind));
}

function saidOf(keys: string, { star, pound }: KeyNames): string {
  return [...keys.matchAll(/\d+|[*#]/g)].map(([key]) => (key === '*' ? star : key === '#' ? pound : key)).join(' ');
}

/** "The star key (*)" and "* (star)" name the key already. */
function withoutRepeats(line: string, { star, pound }: KeyNames): string {
  const name = `(?:${star}|${pound})\\p{L}*`;
  return line
    .replace(new RegExp(`(?<=(?<!\\p{L})${name}[^*#()]{0,20})\\s*\\(\\s*["']?[*#]["']?\\s*\\)`, 'giu'), '')
    .replace(new RegExp(`(?<=[*#]["']?)\\s*\\((?:[\\p{L}]+ )?${name}[^)]{0,12}\\)`, 'giu'), '');
}
