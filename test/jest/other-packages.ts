import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = new URL('../../', import.meta.url);

/**
 * Runs a module in a process of its own, where the packages of `instead` are other ones than those installed.
 * @param instead by package name: the source of a module in its place, or undefined for a package that cannot be found
 * @param source the module to run; `dist` in an import stands for the compiled code
 * @returns what it gave to `tell`
 */
export async function withOtherPackages(
  instead: Record<string, string | undefined>,
  source: string,
): Promise<unknown[]> {
  const hooks = `
    const instead = new Map(Object.entries(${JSON.stringify(instead)}));
    const missing = new Set(${JSON.stringify(Object.keys(instead).filter((name) => instead[name] === undefined))});
    export const resolve = (specifier, context, next) => {
      if (missing.has(specifier)) throw new Error('Cannot find package');
      const source = instead.get(specifier);
      return source === undefined ? next(specifier, context) : { url: asUrl(source), shortCircuit: true };
    };
    const asUrl = ${asUrl};`;
  const start = `import { register } from 'node:module'; register(${JSON.stringify(asUrl(hooks))});`;
  const body = source.replaceAll("'dist/", `'${new URL('dist/', ROOT)}`);
  const script = `const told = []; const tell = (value) => told.push(value);\n${body}\nconsole.log(JSON.stringify(told));`;
  const args = ['--import', asUrl(start), '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: fileURLToPath(ROOT) });
  return JSON.parse(stdout);
}

function asUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
