// The fields of what is written as JSON, out of the types that the code gives it: an item for each field. A type with a name is described
// once, under its name.
import { declaredType, ts } from './program.mjs';

const { TypeFlags, SymbolFlags, TypeFormatFlags } = ts;
const TEXT = TypeFormatFlags.NoTruncation | TypeFormatFlags.UseSingleQuotesForStringLiteralType;
const NOTHING = TypeFlags.Undefined | TypeFlags.Null | TypeFlags.Void;

/** Each has a report of its own, or lines of its own in that of the API. */
const LISTS = [
  ['src/base/errors.ts', 'ErrorCode'],
  ['src/call/call.ts', 'EndReason'],
  ['src/call/call.ts', 'BotEndReason'],
  ['src/call/campaign-progress.ts', 'CampaignOutcome'],
  ['src/base/audio/dtmf-digit.ts', 'DtmfDigit'],
];

/** A name that is no word stands in quotation marks, so that it ends where it ends. */
const written = (name) => (/^[\w$-]+$/.test(name) ? name : JSON.stringify(name));

/** Describes types; `items` has what is known by then. */
export class Fields {
  items = new Map();
  #named = new Set();
  /** Names of long lists of words by the words: the compiler forgets the name in many places. */
  #lists;

  constructor(loaded) {
    this.loaded = loaded;
    this.#lists = new Map(
      LISTS.map(([path, name]) => [
        declaredType(loaded, path, name)
          .types.map((one) => this.#text(one))
          .sort()
          .join(),
        name,
      ]),
    );
  }

  /** The fields of an object under a name; of anything else what it is. */
  add(name, type, { isOptional = false } = {}) {
    const present = this.#without(type, NOTHING & ~TypeFlags.Null);
    const text = this.#describe(name, present);
    const mayMiss = isOptional || present !== type;
    if (text !== undefined || mayMiss) this.#put(name, `${text ?? 'object'}${mayMiss ? ', optional' : ''}`);
  }

  /** The fields of an object under a name that several objects may have. */
  addTo(name, type) {
    const text = this.#expand(name, type);
    this.#put(name, text ?? 'object');
  }

  /** The fields of a type under its own name, whichever place it has. */
  addNamed(name, type) {
    if (this.#named.has(name)) return;
    this.#named.add(name);
    const text = this.#expand(name, type);
    if (text !== undefined) this.#put(name, text);
  }

  /** What a type is in a line; undefined where its fields have lines of their own. */
  #describe(name, type) {
    const known = this.#nameOf(type);
    if (known === undefined) return this.#expand(name, type);
    if (type.isUnion() || this.#isOfFields(type)) this.addNamed(known, type);
    return known;
  }

  #expand(name, type) {
    const { checker } = this.loaded;
    if (type.isUnion()) return this.#union(name, type);
    if (checker.isArrayType(type) || checker.isTupleType(type)) {
      const elements = checker.getTypeArguments(type);
      const [element] = elements;
      if (elements.length !== 1 || !element) return checker.typeToString(type, undefined, TEXT);
      const text = this.#describe(`${name}[]`, element);
      return text === undefined ? 'list' : `list of ${text}`;
    }
    if (!this.#isOfFields(type)) return this.#text(type);
    const fields = checker.getPropertiesOfType(type).filter((field) => this.#isWritten(field));
    const index = checker.getIndexInfosOfType(type);
    for (const field of fields) this.#field(name, field);
    for (const { type: value } of index) this.add(`${name}.*`, value);
    return fields.length + index.length === 0 ? 'object' : undefined;
  }

  #field(name, field) {
    const item = `${name}.${written(field.name)}`;
    this.add(item, this.#typeOf(field), { isOptional: (field.flags & SymbolFlags.Optional) !== 0 });
    const isDeprecated = field.getJsDocTags().some((tag) => tag.name === 'deprecated');
    const text = this.items.get(item) ?? 'object';
    if (isDeprecated && !text.startsWith('(deprecated) ')) this.items.set(item, `(deprecated) ${text}`);
  }

  /** As it was written where that has a name, which is lost with `| undefined`. */
  #typeOf(field) {
    const { checker } = this.loaded;
    const type = checker.getTypeOfSymbol(field);
    const written = field.valueDeclaration?.type;
    const nodes = (written && ts.isUnionTypeNode(written) ? [...written.types] : [written]).filter(
      (node) => node && node.kind !== ts.SyntaxKind.UndefinedKeyword,
    );
    if (nodes.length !== 1 || !ts.isTypeReferenceNode(nodes[0])) return type;
    const named = checker.getTypeFromTypeNode(nodes[0]);
    const bare = this.#without(type, TypeFlags.Undefined);
    const isSame = checker.isTypeAssignableTo(named, bare) && checker.isTypeAssignableTo(bare, named);
    if (!named.aliasSymbol || !isSame) return type;
    return named;
  }

  /** Values, or objects of several kinds: by the field that tells them apart, where there is one. */
  #union(name, type) {
    const { checker } = this.loaded;
    const objects = type.types.filter((one) => this.#isOfFields(one) && !checker.isArrayType(one));
    const others = type.types.filter((one) => !objects.includes(one));
    if (objects.length === 0) return this.#values(name, others);
    const kind = objects.length > 1 ? this.#kindOf(objects) : undefined;
    for (const one of objects) {
      const known = this.#nameOf(one);
      if (kind) this.addNamed(`${name}.${this.#literal(one, kind)}`, one);
      else if (known !== undefined && others.length > 0) this.addNamed(known, one);
      else if (objects.length === 1) this.#expand(name, one);
    }
    if (kind) return `kinds by ${kind}`;
    if (objects.length === 1 && others.length === 0) return undefined;
    if (objects.length > 1) this.#merged(name, objects);
    return others.length === 0 ? undefined : [...others.map((one) => this.#text(one)), 'object'].sort().join(' | ');
  }

  /** A line for each word that is possible, where the type has a name: one more is an item that is added. */
  #values(name, types) {
    const words = types.map((one) => this.#text(one)).sort();
    const known = this.#lists.get(words.join());
    if (known !== undefined && known !== name) return known;
    if (words.length <= 1 || !/^[A-Z]\w*$/.test(name) || !types.every((one) => one.isStringLiteral()))
      return this.#booleans(words).join(' | ');
    for (const one of types) this.#put(`${name}.${one.value}`, 'word');
    return 'one of these words';
  }

  #booleans(words) {
    const isBoth = words.includes('true') && words.includes('false');
    return isBoth ? ['boolean', ...words.filter((word) => word !== 'true' && word !== 'false')] : words;
  }

  /** Of objects that no field tells apart: a field that one of them lacks is optional. */
  #merged(name, objects) {
    const { checker } = this.loaded;
    const all = new Map();
    for (const one of objects)
      for (const field of checker.getPropertiesOfType(one)) if (this.#isWritten(field)) all.set(field.name, field);
    for (const [field, symbol] of all) {
      const having = objects.flatMap((one) => checker.getPropertyOfType(one, field) ?? []);
      const types = having.map((one) => checker.getTypeOfSymbol(one));
      const isOptional =
        having.length < objects.length || having.some((one) => (one.flags & SymbolFlags.Optional) !== 0);
      const texts = new Set();
      let isWhole = true;
      for (const type of types) {
        const text = this.#describe(`${name}.${field}`, this.#without(type, NOTHING & ~TypeFlags.Null));
        if (text === undefined) isWhole = false;
        else texts.add(text);
      }
      if (!isWhole && texts.size === 0) continue;
      const isAbsent = [texts.delete('undefined'), texts.delete('never')].some(Boolean);
      if (texts.size === 0) continue;
      this.#put(
        `${name}.${written(symbol.name)}`,
        [...texts].sort().join(' | ') + (isOptional || isAbsent ? ', optional' : ''),
      );
    }
  }

  #kindOf(objects) {
    const { checker } = this.loaded;
    const isWord = (one, field) => {
      const symbol = checker.getPropertyOfType(one, field);
      return symbol && checker.getTypeOfSymbol(symbol).isStringLiteral();
    };
    const [first] = objects;
    const names = checker.getPropertiesOfType(first).map(({ name }) => name);
    return names.find(
      (field) =>
        objects.every((one) => isWord(one, field)) &&
        new Set(objects.map((one) => this.#literal(one, field))).size === objects.length,
    );
  }

  #literal(type, field) {
    const { checker } = this.loaded;
    return checker.getTypeOfSymbol(checker.getPropertyOfType(type, field)).value;
  }

  #text(type) {
    return this.loaded.checker.typeToString(type, undefined, TEXT).replaceAll(/\s+/g, ' ');
  }

  /** Whether JSON has its fields: neither a word, nor a function, nor a class of Node's. */
  #isOfFields(type) {
    if (type.isIntersection())
      return type.types.every((one) => one.flags & TypeFlags.NonPrimitive || this.#isOfFields(one));
    if ((type.flags & TypeFlags.Object) === 0) return false;
    if (type.getCallSignatures().length > 0) return false;
    const [declared] = type.symbol?.declarations ?? [];
    return !declared || this.#isOurs(declared) || ts.isTypeLiteralNode(declared) || ts.isMappedTypeNode(declared);
  }

  #isOurs = (node) => this.loaded.pathOf(node).startsWith('src/');

  #isWritten(field) {
    if (field.name.startsWith('__@') || field.name.startsWith('#')) return false;
    const type = this.loaded.checker.getTypeOfSymbol(field);
    return this.#without(type, NOTHING).getCallSignatures().length === 0 && !this.#isOnlyUndefined(type);
  }

  #isOnlyUndefined = (type) => (type.flags & (TypeFlags.Undefined | TypeFlags.Never)) !== 0;

  /** Of a type of ours; none where it has parameters, and for a word, which is shown as it is. */
  #nameOf(type) {
    const symbol =
      type.aliasSymbol ?? (type.symbol && type.symbol.flags & SymbolFlags.Interface ? type.symbol : undefined);
    const [declared] = symbol?.declarations ?? [];
    if (!declared || !this.#isOurs(declared)) return undefined;
    const given = type.aliasSymbol ? type.aliasTypeArguments : this.loaded.checker.getTypeArguments(type);
    return given?.length ? undefined : symbol.name;
  }

  #without(type, flags) {
    if (!type.isUnion()) return type;
    const left = type.types.filter((one) => (one.flags & flags) === 0);
    if (left.length === type.types.length || left.length === 0) return type;
    return this.loaded.checker.getNonNullableType(type);
  }

  #put(name, text) {
    const before = this.items.get(name);
    if (before === undefined) return void this.items.set(name, text);
    const plain = (words) => words.replace(/, optional$/, '');
    if (before === text) return;
    const texts = new Set([...plain(before).split(' | '), ...plain(text).split(' | ')]);
    const isOptional = before.endsWith(', optional') || text.endsWith(', optional');
    this.items.set(name, [...texts].sort().join(' | ') + (isOptional ? ', optional' : ''));
  }
}
