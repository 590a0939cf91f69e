import { pathToFileURL } from 'node:url';
import { packageRoot } from './package-root.js';

/** Absolute path of the page that explains errors, in the installed package. */
export const ERROR_PAGE = `${packageRoot}docs/errors.md`;

/** The anchor of the section that explains an error. */
export const errorSection = (code: string): string => `#${code.toLowerCase()}`;

/** Where the installed package explains an error: a `file:` address with the anchor of its section. */
export const errorDocs = (code: string): string => `${pathToFileURL(ERROR_PAGE)}${errorSection(code)}`;
