/** What any program needs to work; everything else is handed to a child over a private channel, if at all. */
const BASIC_VARIABLES = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'TEMP', 'SystemRoot'];

/** The environment to start a child process with: nothing in it that other processes may not see. */
export function basicEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(BASIC_VARIABLES.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}
