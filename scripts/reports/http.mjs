// The addresses that a runner answers, with the fields of what it answers as JSON: found in the code, wherever a route is made.
import { calledName, callsIn, declaredType, ts } from './program.mjs';

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete', 'route']);
const ADDRESS = /^\/[\w./:-]*$/;

/** What is sent to an address as JSON, by the schema that it is read by. */
const REQUESTS = [
  ['/start', 'src/runner/dialing/start-request.ts', 'SentStart'],
  ['/campaigns', 'src/runner/campaigns/campaign-request.ts', 'SentCampaign'],
];

export function addRequests(loaded, fields) {
  for (const [address, path, name] of REQUESTS) fields.addTo(`${address} request`, declaredType(loaded, path, name));
}

export function addAddresses(loaded, fields) {
  const { checker } = loaded;
  const calls = [...callsIn(loaded, /^src\/runner\//)];
  const ofFiles = new Map();
  for (const call of calls) {
    const name = calledName(call);
    if (METHODS.has(name)) for (const address of addressesOf(call)) addAddress(address);
    if (name === 'json' && call.arguments[0]) addAnswer(call);
  }

  function addAddress(address) {
    if (!fields.items.has(address)) fields.items.set(address, 'address');
  }

  function addAnswer(call) {
    const type = checker.getTypeAtLocation(call.arguments[0]);
    for (const address of placeOf(call)) if (type.flags & ts.TypeFlags.Object) fields.addTo(`${address} answer`, type);
  }

  /** What the first argument of a call may be, where the code says it. */
  function addressesOf(call) {
    const [first] = call.arguments;
    const type = first && checker.getTypeAtLocation(first);
    const words = type?.isUnion() ? type.types : [type];
    const literal = words.flatMap((word) => (word?.isStringLiteral() ? [word.value] : []));
    return (literal.length > 0 ? literal : templateOf(first)).filter((address) => ADDRESS.test(address));
  }

  /** `${PATH}/:id/${order}`, of constants and of words. */
  function templateOf(node) {
    if (!node || !ts.isTemplateExpression(node)) return [];
    return node.templateSpans.reduce(
      (starts, { expression, literal }) => {
        const type = checker.getTypeAtLocation(expression);
        const words = (type.isUnion() ? type.types : [type]).filter((word) => word.isStringLiteral());
        return starts.flatMap((start) => words.map(({ value }) => start + value + literal.text));
      },
      [node.head.text],
    );
  }

  /** The addresses of the route that a call stands in; of its file where it stands in none. */
  function placeOf(call) {
    for (let at = call.parent; at; at = at.parent) {
      if (ts.isCallExpression(at)) {
        const addresses = addressesOf(at);
        if (addresses.length > 0) return addresses;
      }
      if (ts.isPropertyAssignment(at) && ts.isStringLiteral(at.name) && ADDRESS.test(at.name.text)) {
        addAddress(at.name.text);
        return [at.name.text];
      }
    }
    return addressesIn(call.getSourceFile());
  }

  /** Of the first route of a file. */
  function addressesIn(file) {
    if (!ofFiles.has(file)) {
      const isIn = (route) =>
        route.getSourceFile() === file && METHODS.has(calledName(route)) && addressesOf(route).length > 0;
      const first = calls.find(isIn);
      ofFiles.set(file, first ? addressesOf(first) : []);
    }
    return ofFiles.get(file);
  }
}

/** Every word of the runner's code that is an address: of routes in tables, of sockets, of what the provider asks. */
export function addWrittenAddresses({ program, pathOf }, fields) {
  for (const file of program.getSourceFiles()) {
    if (!/^src\/runner\//.test(pathOf(file.endOfFileToken))) continue;
    ts.forEachChild(file, function look(node) {
      const isAddress = ts.isStringLiteral(node) && ADDRESS.test(node.text) && !/^\/(?:bin\/.*)?$/.test(node.text);
      if (isAddress && !fields.items.has(node.text)) fields.items.set(node.text, 'address');
      ts.forEachChild(node, look);
    });
  }
}
