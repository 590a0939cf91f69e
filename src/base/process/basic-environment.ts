/** Variables that any program needs. Whatever else a process of ours needs travels to it over a private channel. */
const BASIC_VARIABLES = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'TEMP', 'SystemRoot'];

/** The environment to start a process with: every process of the same user can read it, so it holds no secret. */
export function basicEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(BASIC_VARIABLES.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}
