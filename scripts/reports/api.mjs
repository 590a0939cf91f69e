// The public names of a door, out of the declarations that come with the package: an item for each name, and one for each of its members.
import { join } from 'node:path';
import { ts } from './program.mjs';

const printer = ts.createPrinter({ removeComments: true });

/** @returns names with their declarations, each on one line */
export function apiOf({ program, checker, root, pathOf }, doors, door) {
  const exportsOf = (path) =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(join(root, ...path.split('/')))));
  const target = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  const everywhere = new Set(Object.values(doors).flatMap((path) => exportsOf(path).map(target)));
  const items = new Map();
  for (const symbol of exportsOf(doors[door])) addName(symbol.name, target(symbol));
  return items;

  function addName(name, symbol) {
    for (const declaration of symbol.declarations ?? []) {
      if (ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration)) {
        put(name, declaration, headOf(declaration));
        addMembers(name, symbol);
      } else if (ts.isTypeAliasDeclaration(declaration)) addAlias(name, declaration);
      else put(name, declaration, textOf(declaration));
    }
  }

  /** One name of several declarations, such as those of a method that may be called in several ways, is one item. */
  function put(name, node, text) {
    const isDeprecated = ts.getJSDocDeprecatedTag(node) !== undefined;
    const whole = isDeprecated ? `(deprecated) ${text}` : text;
    const before = items.get(name);
    if (before?.split(' ; ').includes(whole)) return;
    items.set(name, before === undefined ? whole : `${before} ; ${whole}`);
  }

  /** Of the type, and of the types that it extends and that have no name at any door. */
  function addMembers(name, symbol) {
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    for (const member of checker.getPropertiesOfType(type)) addMember(name, symbol, member);
    if (symbol.flags & ts.SymbolFlags.Class) {
      for (const member of symbol.exports?.values() ?? [])
        if (member.name !== 'prototype') addMember(name, symbol, member);
      for (const node of symbol.members?.get('__constructor')?.declarations ?? [])
        if (isPublic(node)) put(`${name}.constructor`, node, textOf(node));
    }
    for (const { declaration } of checker.getIndexInfosOfType(type))
      if (declaration) put(`${name}.*`, declaration, textOf(declaration));
    for (const { declaration } of checker.getSignaturesOfType(type, ts.SignatureKind.Call))
      put(`${name}()`, declaration, textOf(declaration));
  }

  function addMember(name, owner, member) {
    const { parent } = member;
    if (parent !== owner && everywhere.has(parent)) return;
    for (const node of member.declarations ?? [])
      if (pathOf(node).startsWith('dist/') && isPublic(node)) put(`${name}.${memberName(node)}`, node, textOf(node));
  }

  /** Words and fields have lines of their own. */
  function addAlias(name, declaration) {
    const { type } = declaration;
    if (ts.isTypeLiteralNode(type)) {
      put(name, declaration, `type ${name}${parametersOf(declaration)} of fields`);
      for (const member of type.members) put(`${name}.${memberName(member)}`, member, textOf(member));
      return;
    }
    const known = checker.getTypeAtLocation(declaration.name);
    const words = known.isUnion() && known.types.every((one) => one.isStringLiteral()) ? known.types : [];
    put(name, declaration, words.length > 0 ? `type ${name}, one of these words` : textOf(declaration));
    for (const { value } of words) put(`${name}.${value}`, declaration, 'word');
  }

  function headOf(declaration) {
    const kind = ts.isInterfaceDeclaration(declaration) ? 'interface' : 'class';
    const isAbstract = declaration.modifiers?.some((one) => one.kind === ts.SyntaxKind.AbstractKeyword);
    const clauses = (declaration.heritageClauses ?? []).map(textOf).join(' ');
    const head = `${isAbstract ? 'abstract ' : ''}${kind} ${declaration.name.text}${parametersOf(declaration)}`;
    return [head, clauses].filter(Boolean).join(' ');
  }

  function parametersOf({ typeParameters }) {
    return typeParameters ? `<${typeParameters.map(textOf).join(', ')}>` : '';
  }
}

const textOf = (node) =>
  printer
    .printNode(ts.EmitHint.Unspecified, node, node.getSourceFile())
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/^export /, '')
    .replace(/^declare /, '')
    .replace(/;$/, '');

const memberName = (node) => node.name?.getText() ?? '()';

function isPublic(node) {
  if (node.name && ts.isPrivateIdentifier(node.name)) return false;
  if (ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal')) return false;
  return (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) === 0;
}
