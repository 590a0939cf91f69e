import { operatorNumber } from 'voicebot';
import { type Line, menu, promptsBeside } from '../../bots/acting-bot.js';

/**
 * What a bot of recorded prompts does: 0 asks for the operator, 9 ends the call, other keys have the choice said again.
 * @param choice the prompt that says what there is to choose
 */
export function operatorMenu(botUrl: string, greeting: readonly string[], choice: string) {
  const prompt = promptsBeside(botUrl);
  const connect = async (line: Line) => {
    const tell = ({ status }: { status: string }) => console.error(`transfer to the operator: ${status}`);
    await line.connect(operatorNumber(), prompt('one-moment'), tell, prompt('nobody-there'), prompt(choice));
  };
  const leave = (line: Line) => {
    line.say(prompt('goodbye'));
    line.end();
  };
  return {
    greet: (line: Line) => line.say(...greeting.map(prompt)),
    press: menu({ '0': connect, '9': leave }, (line) => line.say(prompt(choice))),
    leave,
  };
}
