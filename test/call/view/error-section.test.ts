import { ERROR_SUMMARIES } from '../../../src/base/errors.js';
import { errorSectionOf } from '../../../src/call/view/error-section.js';
import { read } from '../../project/repository.js';

const page = read('docs/errors.md');

test('every error code has a section that can be read', () => {
  const sections = Object.keys(ERROR_SUMMARIES).map((code) => errorSectionOf(page, code));
  expect(sections.filter((section) => !section?.cause || !section.cure || !section.summary)).toEqual([]);
});

test('the marks of Markdown are left out', () => {
  expect(
    errorSectionOf(
      '# E\n\n## VB_A\n\nIt is\nbad.\n\n- **Cause:** See\n  [the `page`](a.md).\n- **Cure:** Do **it**.\n',
      'VB_A',
    ),
  ).toEqual({
    summary: 'It is bad.',
    cause: 'See the page.',
    cure: 'Do it.',
  });
  expect(errorSectionOf(page, 'VB_NOT_THERE')).toBeUndefined();
});
