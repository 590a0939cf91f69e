// The lines that commands write with `--json`: found in the code, wherever an output writes one.
import { calledName, callsIn, ts } from './program.mjs';

/** What every line has, put by the output itself. */
const OUTPUT = 'src/terminal/output.ts';

/** @param fields describes them */
export function addJsonLines(loaded, fields) {
  const { checker, pathOf } = loaded;
  const calls = [...callsIn(loaded, /^src\/(?:cli|lab|terminal|assembly|runners)\//)];
  const isOfOutput = (call) => {
    const declared = checker.getResolvedSignature(call)?.declaration;
    return declared?.name?.text === 'event' && pathOf(declared) === OUTPUT;
  };
  for (const call of calls) {
    if (calledName(call) === 'event' && isOfOutput(call))
      addLine(call, { command: commandOf(pathOf(call)), event: call.arguments[0], given: [call.arguments[1]] });
  }

  function addLine(call, { command, event, given }) {
    const type = checker.getTypeAtLocation(event);
    const words = type.isUnion() ? type.types : [type];
    if (words.every((word) => word.isStringLiteral())) {
      for (const { value } of words) addFields(`${command} ${value}`, given.filter(Boolean));
      return;
    }
    const through = enclosingFunction(call);
    const place = through?.parameters.findIndex(({ name }) => name.getText() === event.getText()) ?? -1;
    if (place < 0) throw new Error(`${pathOf(call)}: which event is written cannot be told from the code`);
    for (const caller of calls) {
      if (calledName(caller) !== through.name.text) continue;
      if (checker.getResolvedSignature(caller)?.declaration !== through) continue;
      const more = through.parameters.flatMap(({ type: declared }, index) =>
        declared?.kind === ts.SyntaxKind.ObjectKeyword ? [caller.arguments[index]] : [],
      );
      addLine(caller, { command, event: caller.arguments[place], given: [...given, ...more] });
    }
  }

  function addFields(name, given) {
    if (given.length === 0) fields.items.set(name, 'object');
    for (const one of given) fields.addTo(name, checker.getTypeAtLocation(one));
  }
}

/** The command by whose code a line is written; `any` for all. */
function commandOf(path) {
  const [, wing, place = ''] = path.split('/');
  if (wing !== 'cli' && wing !== 'lab') return 'any';
  const name = place.replace(/\.ts$/, '');
  return name === 'main' ? 'any' : name;
}

/** The method or the function that has a name and in which a node stands. */
function enclosingFunction(node) {
  for (let at = node.parent; at; at = at.parent)
    if ((ts.isMethodDeclaration(at) || ts.isFunctionDeclaration(at)) && at.name) return at;
  return undefined;
}
