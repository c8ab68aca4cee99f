import {
  defaultMaxTurns,
  defaultMinAnswerScore,
  type Skill,
  type SkillOf,
} from '../../../contract/agents/settings/flow.ts';
import { fixedPhrases } from '../../text/fixed-phrases.ts';
import { isTransferred, type ToolResult } from '../../tools/tool.ts';
import { type AnswerContext, understand } from '../../understanding/answer.ts';
import { asksForMoment } from '../../understanding/moment.ts';
import { Work } from '../../understanding/work.ts';
import type { Scalar } from '../../variables.ts';
import { type CallValues, createCallValues } from './call-values.ts';
import type { CompiledFlow } from './compile.ts';
import { confirmationOf } from './confirmation.ts';
import { answerContextOf, givenAhead, type LastAnswer, type ListeningSkill, maxRetries } from './listening-skill.ts';
import type { FlowFacts, FlowInput, FlowState, FlowStep } from './state.ts';
import { Step } from './step.ts';
import { spokenValue, variablesIn } from './variables.ts';

/** A flow that passes through more skills without listening would never let the caller speak. */
export const maxSkillsWithoutListening = 50;

/** What a flow does with an input. Pure: the same words lead to the same call everywhere. */
export function advance(flow: CompiledFlow, state: FlowState, input: FlowInput, facts: FlowFacts): FlowStep {
  return new Conversation(flow, state, facts).take(input);
}

/** What waits for the result of a tool. */
type ActingSkill = SkillOf<'tool'> | SkillOf<'transfer'>;

class Conversation {
  readonly #flow: CompiledFlow;
  readonly #facts: FlowFacts;
  readonly #step: Step;
  readonly #values: CallValues;
  readonly #work = new Work();
  #lastAnswer: LastAnswer | null = null;

  constructor(flow: CompiledFlow, state: FlowState, facts: FlowFacts) {
    this.#flow = flow;
    this.#facts = facts;
    this.#step = new Step(state);
    this.#values = createCallValues(flow, facts, state.collected, this.#step.outputs);
  }

  take(input: FlowInput): FlowStep {
    if (this.#state.phase === 'ended') this.#step.end();
    else this.#dispatch(input);
    this.#state.collected = this.#values.collected();
    if (this.#work.isExceeded) this.#step.warnNotUnderstood();
    const { state, outputs, waitingFor, waitMs } = this.#step;
    return { state, outputs, waitingFor, waitMs };
  }

  #dispatch(input: FlowInput): void {
    const skill = this.#skill();
    switch (input.type) {
      case 'start':
        this.#start(skill, input.isGreeted === true);
        break;
      case 'heard':
        this.#state.words = input.words;
        this.#state.skillsWithoutListening = 0;
        this.#hear(skill, input.words);
        break;
      case 'reminder':
        this.#remind(skill);
        break;
      case 'tool':
        if (this.#state.phase === 'tool') this.#toolReturned(skill as ActingSkill, input.result, input.isCutOff);
        break;
      case 'model':
        if (skill.type === 'prompt') this.#modelReplied(skill, input);
        break;
      case 'choice':
        if (skill.type === 'choose') this.#choose(skill, input.route ?? this.#routeByWords(skill, this.#state.words));
        break;
      case 'answer':
        if (skill.type === 'answer') this.#sayAnswer(skill, input.text);
        break;
    }
  }

  #start(skill: Skill, isGreeted: boolean): void {
    if (this.#state.phase !== 'opening') return;
    // A greeting is the opening that a model would write.
    if (skill.type === 'prompt' && isGreeted) this.#state.phase = 'talking';
    else this.#enter(skill.id);
  }

  #hear(skill: Skill, words: string): void {
    const { phase } = this.#state;
    // A call that was continued elsewhere while its tool ran has lost the result.
    if (phase === 'tool') this.#toolReturned(skill as ActingSkill, lostResult);
    else if (skill.type === 'prompt' && (phase === 'talking' || phase === 'opening')) this.#talk(skill);
    else if (phase === 'entering') {
      if (!this.#takeAnytime(words)) this.#enter(skill.id);
    } else if (skill.type === 'answer') {
      if (!this.#takeAnytime(words)) this.#searchAnswer(skill, words);
    } else if (skill.type !== 'ask' && skill.type !== 'choose') this.#enter(skill.id);
    else {
      if (phase === 'opening') this.#step.prepareToAsk(maxRetries(skill));
      if (!this.#takeAnytime(words)) this.#answer(skill, words);
    }
  }

  #takeAnytime(words: string): boolean {
    const index = this.#flow.anytimePhrases.match(words, this.#work);
    const route = index === undefined ? undefined : this.#flow.anytime[index];
    if (route === undefined) return false;
    this.#step.took(this.#state.skill, `anytime.${index}`);
    if (route.next !== undefined) this.#enter(route.next);
    else if (this.#state.question !== '') this.#step.say(this.#state.question);
    else this.#enter(this.#state.skill);
    return true;
  }

  #answer(skill: ListeningSkill, words: string): void {
    const route = skill.type === 'choose' ? this.#routeByWords(skill, words) : undefined;
    if (route === undefined && asksForMoment(words, this.#flow.language))
      this.#step.giveMoment(this.#flow.sentences.moment);
    else if (skill.type === 'choose') {
      if (skill.by === 'model' && this.#facts.hasModel) this.#askModel(skill, words);
      else this.#choose(skill, route);
    } else if (this.#state.phase === 'confirming') this.#confirm(skill, words);
    else {
      const value = understand(skill.as, words, this.#contextOf(skill));
      if (value === undefined) this.#askAgain(skill);
      else if (skill.confirm === true) {
        this.#state.value = value;
        this.#readBack(skill);
      } else {
        this.#lastAnswer = { as: skill.as, words };
        this.#understood(skill, value);
      }
    }
  }

  /** Nothing lasts if this is canceled: the skill still listens. */
  #searchAnswer({ minScore = defaultMinAnswerScore }: SkillOf<'answer'>, words: string): void {
    this.#state.phase = 'asking';
    if (asksForMoment(words, this.#flow.language)) {
      this.#step.giveMoment(this.#flow.sentences.moment);
      return;
    }
    this.#step.request({ type: 'search', words, minScore }, 'answer');
  }

  #sayAnswer(skill: SkillOf<'answer'>, text: string | null): void {
    if (text === null) {
      this.#follow('otherwise', skill.otherwise);
      return;
    }
    this.#step.say(text);
    this.#follow('next', skill.next);
  }

  #understood(skill: SkillOf<'ask'>, value: Scalar): void {
    this.#values.set({ [skill.variable]: value });
    this.#follow('next', skill.next);
  }

  #confirm(skill: SkillOf<'ask'>, words: string): void {
    const value = this.#state.value as Exclude<FlowState['value'], null>;
    const confirmation = confirmationOf(skill, value, words, this.#contextOf(skill));
    if (confirmation.is === 'right') {
      this.#understood(skill, value);
      return;
    }
    if (confirmation.is !== 'unclear') this.#state.isSpelledOut = true;
    if (confirmation.is === 'wrong') this.#askAgain(skill, this.#flow.sentences.wrongValue());
    else if (this.#useRetry(skill)) {
      if (confirmation.is === 'corrected') this.#state.value = confirmation.value;
      this.#readBack(skill);
    }
  }

  #readBack(skill: SkillOf<'ask'>): void {
    this.#state.phase = 'confirming';
    const value = this.#state.value as Exclude<FlowState['value'], null>;
    const spoken = spokenValue(this.#flow, skill, value, this.#state.isSpelledOut);
    this.#step.ask(this.#flow.sentences.readBack(spoken));
  }

  /** Asks the question once more: not in the same words, unless the author wants that. */
  #askAgain(skill: ListeningSkill, leadIn?: string): void {
    if (this.#state.phase === 'opening') {
      // The caller spoke first: the question is still to be asked, so this uses no retry.
      this.#state.phase = 'asking';
      this.#step.ask(this.#values.text(skill.text));
      return;
    }
    if (!this.#useRetry(skill)) return;
    this.#state.phase = 'asking';
    this.#state.value = null;
    const attempt = maxRetries(skill) - this.#state.retriesLeft;
    const question = this.#values.text(skill.retry?.text ?? skill.text);
    const start = skill.retry?.text === undefined ? (leadIn ?? this.#flow.sentences.notUnderstood(attempt)) : '';
    this.#step.ask(question, start);
  }

  #useRetry(skill: ListeningSkill): boolean {
    if (this.#state.retriesLeft === 0) {
      this.#follow('otherwise', skill.otherwise);
      return false;
    }
    this.#state.retriesLeft -= 1;
    this.#step.took(skill.id, 'retry');
    return true;
  }

  #routeByWords(skill: SkillOf<'choose'>, words: string): number | undefined {
    return this.#flow.phrases.get(skill.id)?.match(words, this.#work);
  }

  #choose(skill: SkillOf<'choose'>, index: number | undefined): void {
    const route = index === undefined ? undefined : skill.routes[index];
    if (route === undefined) this.#askAgain(skill);
    else {
      this.#lastAnswer = { as: 'choose', words: this.#state.words };
      this.#follow(`routes.${index}`, route.next);
    }
  }

  #askModel(skill: SkillOf<'choose'>, words: string): void {
    const routes = skill.routes.map(({ when }) => when);
    this.#step.request({ type: 'choose', question: this.#values.text(skill.text), routes, words }, 'choice');
  }

  /** Nothing lasts if this is canceled: the skill is still the same and the next words are another turn of it. */
  #talk(skill: SkillOf<'prompt'>): void {
    this.#state.phase = 'talking';
    this.#state.modelTurns += 1;
    const { words } = this.#state;
    if (this.#facts.hasModel) {
      this.#requestModel(skill, words === '' ? 'begin' : 'response');
      return;
    }
    const { rehearsal, rehearsalOpening } = this.#flow.sentences;
    this.#step.say(words === '' ? rehearsalOpening : rehearsal(words));
    this.#modelReplied(skill, {});
  }

  #requestModel(skill: SkillOf<'prompt'>, kind: 'begin' | 'response' | 'reminder'): void {
    const routes = (skill.routes ?? []).map(({ name, description }) => ({ name, description }));
    const words = kind === 'response' ? this.#state.words : '';
    this.#step.request({ type: 'model', kind, prompt: this.#values.prompt(skill.prompt), routes, words }, 'model');
  }

  #modelReplied(skill: SkillOf<'prompt'>, reply: { route?: string | undefined; endCall?: boolean | undefined }): void {
    const index = (skill.routes ?? []).findIndex(({ name }) => name === reply.route);
    const route = skill.routes?.[index];
    if (reply.endCall === true) this.#step.end();
    else if (route !== undefined) this.#follow(`routes.${index}`, route.next);
    else if (this.#state.modelTurns < (skill.maxTurns ?? defaultMaxTurns)) this.#step.listen();
    else if (skill.next !== undefined) this.#follow('next', skill.next);
    else this.#step.end();
  }

  #toolReturned(skill: ActingSkill, result: ToolResult, isCutOff = false): void {
    // A transfer that succeeds ends the call: the flow learns of it in an exploration only.
    if (skill.type === 'transfer' && isTransferred(result)) {
      this.#step.end();
      return;
    }
    if (skill.type === 'tool' && !result.isError) this.#values.set(variablesIn(result.result));
    const isNext = skill.type === 'tool' && !result.isError;
    const [way, target] = isNext ? (['next', skill.next] as const) : (['otherwise', skill.otherwise] as const);
    if (isCutOff) {
      this.#step.took(skill.id, way);
      this.#state.phase = 'entering';
      this.#state.skill = target;
    } else this.#follow(way, target);
  }

  #remind(skill: Skill): void {
    const { phase, question } = this.#state;
    if (phase === 'entering') this.#enter(skill.id);
    else if (skill.type === 'prompt' && phase === 'talking' && this.#facts.hasModel)
      this.#requestModel(skill, 'reminder');
    else if (phase === 'tool') this.#step.waitingFor = 'tool';
    else this.#step.say(question === '' || phase === 'talking' ? fixedPhrases(this.#flow.language).reminder : question);
  }

  #follow(way: string, target: string): void {
    this.#step.took(this.#state.skill, way);
    this.#enter(target);
  }

  #enter(target: string): void {
    let next: string | undefined = target;
    while (next !== undefined) {
      this.#state.skill = next;
      this.#state.skillsWithoutListening += 1;
      if (this.#state.skillsWithoutListening > maxSkillsWithoutListening) {
        this.#step.fail(`more than ${maxSkillsWithoutListening} skills without listening`);
        return;
      }
      next = this.#visit(this.#skill());
    }
  }

  /** Does what a skill does on entry. Returns the next one, unless this one waits. */
  #visit(skill: Skill): string | undefined {
    switch (skill.type) {
      case 'say':
        this.#lastAnswer = null;
        this.#step.say(this.#values.text(skill.text), skill.interruptible === false);
        return this.#leave(skill, 'next', skill.next);
      case 'set':
        this.#values.setFilled(skill.variables);
        return this.#leave(skill, 'next', skill.next);
      case 'branch':
        return this.#decide(skill);
      case 'ask':
      case 'choose':
        return this.#enterQuestion(skill);
      case 'answer':
        this.#lastAnswer = null;
        this.#state.phase = 'asking';
        this.#state.question = '';
        if (skill.text === undefined) this.#step.listen();
        else this.#step.ask(this.#values.text(skill.text));
        return undefined;
      case 'tool':
        this.#callTool(skill);
        return undefined;
      case 'transfer':
        if (skill.text !== undefined) this.#step.say(this.#values.text(skill.text));
        this.#step.runTool({ name: 'transfer_call', arguments: { name: skill.transfer } });
        return undefined;
      case 'prompt':
        this.#state.modelTurns = 0;
        this.#talk(skill);
        return undefined;
      case 'end':
        if (skill.text !== undefined) this.#step.say(this.#values.text(skill.text));
        this.#step.end();
        return undefined;
    }
  }

  #enterQuestion(skill: ListeningSkill): string | undefined {
    this.#step.prepareToAsk(maxRetries(skill));
    const value = skill.type === 'ask' ? givenAhead(this.#lastAnswer, skill.as, this.#contextOf(skill)) : undefined;
    // 明日の予約を変更したい may name the old day.
    const isUncertain = this.#lastAnswer?.as === 'choose';
    this.#lastAnswer = null;
    if (skill.type === 'choose' || value === undefined) {
      this.#state.phase = 'asking';
      this.#step.ask(this.#values.text(skill.text));
    } else if (skill.confirm === true || isUncertain) {
      this.#state.value = value;
      this.#readBack(skill);
    } else {
      this.#values.set({ [skill.variable]: value });
      return this.#leave(skill, 'next', skill.next);
    }
    return undefined;
  }

  #leave(skill: Skill, way: string, target: string): string {
    this.#step.took(skill.id, way);
    return target;
  }

  #decide(skill: SkillOf<'branch'>): string {
    const read = (field: string) => this.#values.read(field);
    const index = this.#flow.conditions.get(skill.id)?.findIndex((condition) => condition(read)) ?? -1;
    const route = skill.routes[index];
    return route === undefined
      ? this.#leave(skill, 'otherwise', skill.otherwise)
      : this.#leave(skill, `routes.${index}`, route.next);
  }

  #callTool(skill: SkillOf<'tool'>): void {
    const values = this.#values.arguments(skill.arguments);
    const say = skill.say === undefined ? {} : { say: this.#values.text(skill.say) };
    this.#step.runTool({ name: skill.tool, arguments: values, ...say });
  }

  #contextOf(skill: SkillOf<'ask'>): AnswerContext {
    return { ...answerContextOf(this.#flow, skill, this.#facts.now), work: this.#work };
  }

  get #state() {
    return this.#step.state;
  }

  #skill(): Skill {
    const skill = this.#flow.skills.get(this.#state.skill);
    if (skill === undefined) throw new Error('the flow has no such skill');
    return skill;
  }
}

const lostResult: ToolResult = { isError: true, code: 'failed', message: 'the result was lost' };
