import { UnansweredQuestions } from '../../../src/lab/stage/unanswered-questions.js';

test('a question that is replaced takes back that it had no answer, and no other one', () => {
  const questions = new UnansweredQuestions();
  questions.ask({ replaces: false });
  questions.add('first');
  questions.ask({ replaces: false });
  questions.add('second');
  questions.ask({ replaces: true });
  expect(questions.all).toEqual(['first']);
  questions.ask({ replaces: true });
  expect(questions.all).toEqual(['first']);
});
