import type { FakeFields } from './fake-live-session.js';

/** What a field has to be: a kind, one of some words, fields of its own, or any of these. */
export type FieldShape = FieldKind | readonly string[] | FieldShapes;
type FieldKind = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'any';

/** The fields that a message may have: `name?` may be missing, and `name!` may be null. */
export interface FieldShapes {
  readonly [name: string]: FieldShape;
}

/** What is wrong with a message. */
export interface FieldFault {
  readonly reason: 'unknown' | 'missing' | 'type' | 'value';
  /** Where, such as `session.audio.input`. */
  readonly path: string;
  readonly found: unknown;
  /** What would have been right: a kind, or words. */
  readonly wanted: readonly string[];
}

/** Looks for the first thing that is wrong with the fields of a message. */
export function faultOf(fields: FakeFields, shapes: FieldShapes, at = ''): FieldFault | undefined {
  const known = new Map(Object.entries(shapes).map(([name, shape]) => [name.replace(/[?!]+$/, ''), { name, shape }]));
  for (const [name, shape] of known) {
    if (!shape.name.includes('?') && fields[name] === undefined) {
      return { reason: 'missing', path: at + name, found: undefined, wanted: [] };
    }
  }
  for (const [name, found] of Object.entries(fields)) {
    const path = at + name;
    const shape = known.get(name);
    if (!shape) return { reason: 'unknown', path, found, wanted: [] };
    if (found === null && shape.name.endsWith('!')) continue;
    const fault = valueFault(found, shape.shape, path);
    if (fault) return fault;
  }
  return undefined;
}

function valueFault(found: unknown, shape: FieldShape, path: string): FieldFault | undefined {
  if (typeof shape === 'string') {
    return isOfKind(found, shape) ? undefined : { reason: 'type', path, found, wanted: [shape] };
  }
  if (isWords(shape)) {
    return shape.includes(String(found)) ? undefined : { reason: 'value', path, found, wanted: shape };
  }
  if (!isOfKind(found, 'object')) return { reason: 'type', path, found, wanted: ['object'] };
  return faultOf(found as FakeFields, shape, `${path}.`);
}

const isWords = (shape: readonly string[] | FieldShapes): shape is readonly string[] => Array.isArray(shape);

function isOfKind(found: unknown, kind: FieldKind): boolean {
  if (kind === 'any') return true;
  if (kind === 'integer') return Number.isInteger(found);
  if (kind === 'array') return Array.isArray(found);
  if (kind === 'object') return typeof found === 'object' && found !== null && !Array.isArray(found);
  return typeof found === kind;
}
