// What the compiler knows of the sources and of the declarations that come with the package. TypeScript 6, which TypeDoc brings: 7 has no
// programming interface yet.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const ts = createRequire(join(ROOT, 'scripts', 'api-docs', 'package.json'))('typescript');

/** The doors of the package, by the names that they are imported by, with the declarations that npm's users get. */
export const DOORS = {
  voicebot: 'dist/index.d.ts',
  'voicebot/pipeline': 'dist/doors/pipeline.d.ts',
  'voicebot/provider': 'dist/doors/provider.d.ts',
  'voicebot/services': 'dist/doors/services.d.ts',
  'voicebot/embed': 'dist/assembly/embed/index.d.ts',
  'voicebot/testing': 'dist/lab/kit/index.d.ts',
};

/** @param root of a clone: a test gives one whose sources it has changed */
export function loadProgram(root = ROOT) {
  const at = (path) => join(root, ...path.split('/'));
  const { config } = ts.readConfigFile(at('tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, types: ['node'] }, root);
  const sources = readdirSync(at('src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ts$/.test(path) && !path.split(sep).includes('page'))
    .map((path) => join(at('src'), path));
  const program = ts.createProgram([...sources, ...Object.values(DOORS).map(at)], options);
  return { root, program, checker: program.getTypeChecker(), pathOf: (node) => pathOf(root, node) };
}

/** Of the file that a node stands in, from the root, with slashes. */
const pathOf = (root, node) => relative(root, node.getSourceFile().fileName).split(sep).join('/');

/** A type that a source file declares. */
export function declaredType({ program, checker, root }, path, name) {
  const file = program.getSourceFile(join(root, ...path.split('/')));
  const declared = file?.statements.find((statement) => statement.name?.text === name);
  if (!declared) throw new Error(`${path} has no ${name} any more: scripts/reports names it`);
  return checker.getTypeAtLocation(declared.name);
}

/** Every call in the sources whose file a pattern matches. */
export function* callsIn({ program, root }, pattern) {
  for (const file of program.getSourceFiles()) {
    const path = relative(root, file.fileName).split(sep).join('/');
    if (pattern.test(path)) yield* callsBelow(file);
  }
}

/** What a call calls, without what it is a part of. */
export const calledName = ({ expression }) =>
  (ts.isPropertyAccessExpression(expression) ? expression.name : expression).text;

function callsBelow(node, found = []) {
  if (ts.isCallExpression(node)) found.push(node);
  ts.forEachChild(node, (child) => void callsBelow(child, found));
  return found;
}
