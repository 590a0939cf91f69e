import type { AnswerStep } from '../../src/providers/carrier.js';
import { parseXml } from '../../src/sandbox/carrier/xml.js';
import { DIAL } from './twilio/package-document.js';

export function testNumberIsNoMarkup(write: (steps: AnswerStep[]) => string): void {
  test('does not let a number become markup', () => {
    const to = '1</Number><Number>2';
    const xml = write([{ do: 'dial', dial: { ...DIAL, to, callerId: '"&<a>' } }]);
    expect(xml.match(/<Number\b/g)).toHaveLength(1);
    const [dial] = parseXml(xml).children;
    expect(dial?.children.map(({ text }) => text)).toEqual([to]);
    expect(dial?.attributes.get('callerId')).toBe('"&<a>');
  });
}
