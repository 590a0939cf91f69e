import { askedIn, asStandInReply, RuleModel } from '../scenario/rule-model.js';
import { type CheckedScenario, replySchema } from '../scenario/scenario-schema.js';
import type { CallModel } from './script-server.js';

/**
 * Answers for the model of one call, as its scenario says. Undefined, and where code gives nothing: the stand-in answers.
 * @returns what rejects, with words for people, where no rule answers, a result has not what is to be spoken, and where code fails
 */
export function modelOf(model: CheckedScenario['model']): CallModel | undefined {
  if (typeof model === 'function') {
    return async (question) => {
      const reply = await model(question);
      return reply === undefined ? undefined : asStandInReply(replySchema.parse(reply));
    };
  }
  if (!model) return undefined;
  const rules = new RuleModel(model);
  return async (question) => {
    const reply = rules.answer(question);
    if (reply) return asStandInReply(reply);
    throw new Error(`no rule answers ${askedIn(question)}`);
  };
}
