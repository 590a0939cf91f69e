export interface Template {
  /** One line, for a list. */
  readonly description: string;
  /** How calls reach it; `any` when both ways will do. */
  readonly transport: 'carrier' | 'rooms' | 'any';
  /** Calls others, instead of being called. */
  readonly dialsOut: boolean;
}

/** The directories of `templates/` that a project can be made from, the ones for beginners first. */
export const TEMPLATES = {
  demo: {
    description: 'plays a menu of recorded prompts and listens to the keys that callers press; needs no API keys',
    transport: 'any',
    dialsOut: false,
  },
  echo: {
    description: 'repeats what callers say: the shortest bot',
    transport: 'carrier',
    dialsOut: false,
  },
  'carrier-dialin': {
    description: 'talks with callers, looks things up and transfers callers to a person; over a carrier',
    transport: 'carrier',
    dialsOut: false,
  },
  'carrier-dialout': {
    description: 'calls people, tells them something and notices voicemail; over a carrier',
    transport: 'carrier',
    dialsOut: true,
  },
  'rooms-dialin': {
    description: 'talks with callers and transfers them to a person; in media rooms',
    transport: 'rooms',
    dialsOut: false,
  },
  'rooms-dialout': {
    description: 'calls people, tells them something and notices voicemail; in media rooms',
    transport: 'rooms',
    dialsOut: true,
  },
  'cold-transfer': {
    description: 'a receptionist that transfers callers to a colleague; in media rooms',
    transport: 'rooms',
    dialsOut: false,
  },
} as const satisfies Record<string, Template>;

export type TemplateName = keyof typeof TEMPLATES;

export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as TemplateName[];

/** Runs on a fresh machine, with no account and no key. */
export const DEFAULT_TEMPLATE: TemplateName = 'demo';

/** The list of templates for people, a line each; `label` is what stands before a name. */
export function templateLines(label = (_index: number) => '  '): string[] {
  const width = Math.max(...TEMPLATE_NAMES.map((name) => name.length));
  return TEMPLATE_NAMES.map((name, index) => `${label(index)}${name.padEnd(width)}  ${TEMPLATES[name].description}`);
}
