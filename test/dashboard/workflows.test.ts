import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { GraphBox } from '../../dashboard/src/graph/boxes.ts';
import { nodeHeight, nodeWidth, placesOf } from '../../dashboard/src/graph/layout.ts';
import { typedValue, valueTyped, withOperator } from '../../dashboard/src/pages/workflows/editor/filter-values.ts';
import { changedValues, mergedValues } from '../../dashboard/src/pages/workflows/workflow-draft.ts';
import {
  callCompletions,
  completed,
  fieldValue,
  matching,
  typedAt,
} from '../../dashboard/src/workflows/completions.ts';
import { curlOf } from '../../dashboard/src/workflows/curl.ts';
import {
  addStep,
  connect,
  type Definition,
  definitionIn,
  earlierSteps,
  moveStep,
  newStep,
  removeStep,
  renameStep,
  stepTypes,
  targetOf,
  waysOf,
} from '../../dashboard/src/workflows/definition.ts';
import { findingsHere, findingsOfService } from '../../dashboard/src/workflows/findings.ts';
import { healthOf, isFailing } from '../../dashboard/src/workflows/health.ts';
import type { Call, Workflow, WorkflowRun } from '../../sdk/src/index.ts';
import { stepTypes as contractTypes, definitionSchema } from '../../src/contract/workflows/definition.ts';

const definition: Definition = {
  trigger: { event: 'call_analyzed' },
  steps: [
    { id: 'crm', type: 'http_request', method: 'POST', url: 'https://crm.example.com/leads', otherwise: 'tell' },
    {
      id: 'check',
      type: 'condition',
      routes: [{ if: { field: 'steps.crm.statusCode', op: 'eq', value: 200 }, next: 'end' }],
      otherwise: 'tell',
    },
    {
      id: 'tell',
      type: 'http_request',
      method: 'POST',
      url: 'https://chat.example.com/',
      body: { text: '{{ steps.crm.statusCode | default: "steps.crm. is text" }}' },
    },
  ],
};
const ids = ({ steps }: Definition) => steps.map(({ id }) => id);

describe('a workflow in the dashboard', () => {
  it('has every type of step of the contract, and each new one has what the service requires', () => {
    assert.deepEqual([...stepTypes], [...contractTypes]);
    for (const type of stepTypes) {
      const step = newStep(type, new Set());
      const filled = JSON.parse(JSON.stringify(step).replace('"https://"', '"https://crm.example.com/"'));
      if (type === 'create_call') Object.assign(filled.call, { agentId: 'agt_1', fromPhoneNumberId: 'num_1' });
      const result = definitionSchema.safeParse({ trigger: { event: 'call_analyzed' }, steps: [filled] });
      assert.equal(result.error?.message, undefined, type);
    }
    assert.equal(newStep('wait', new Set(['wait', 'wait_2'])).id, 'wait_3');
  });

  it('is read from code only if it has a trigger and steps, without fields that have their default', () => {
    for (const broken of [null, [], {}, { trigger: {}, steps: [1] }, { trigger: {}, steps: [{ id: 'a' }] }]) {
      assert.equal(definitionIn(broken), null);
    }
    const stored = { id: 'a', type: 'wait', seconds: 60, until: null, at: null, timeZone: null, next: null };
    assert.deepEqual(definitionIn({ trigger: { event: 'call_ended', agentIds: [] }, steps: [stored] }), {
      trigger: { event: 'call_ended' },
      steps: [{ id: 'a', type: 'wait', seconds: 60 }],
    });
  });

  it('adds a step between two others, which then follow each other', () => {
    const added = addStep(definition, 'wait', 0);
    assert.deepEqual([ids(added.definition), added.position], [['crm', 'wait', 'check', 'tell'], 1]);
    const jumping = connect(definition, 0, 'next', 'tell');
    const between = addStep(jumping, 'wait', 0).definition;
    assert.deepEqual([between.steps[0]?.next, between.steps[1]?.next], [undefined, 'tell']);
    const after = addStep(definition, 'update_call', 1).definition;
    assert.deepEqual([ids(after), after.steps[1]?.otherwise], [['crm', 'check', 'update', 'tell'], 'update']);
    assert.deepEqual(ids(addStep(definition, 'wait', -1).definition), ['wait', 'crm', 'check', 'tell']);
    assert.deepEqual(findingsHere(after), []);
  });

  it('leads what led to a removed step to the one after it', () => {
    const removed = removeStep(definition, 2);
    assert.deepEqual([removed.steps[0]?.otherwise, removed.steps[1]?.otherwise], ['end', 'end']);
    assert.deepEqual(findingsHere(removed), []);
  });

  it('renames a step everywhere: in ways, conditions and templates', () => {
    const renamed = renameStep(definition, 0, 'lead');
    assert.deepEqual(renamed.steps[1]?.routes, [
      { if: { field: 'steps.lead.statusCode', op: 'eq', value: 200 }, next: 'end' },
    ]);
    assert.deepEqual(renamed.steps[2]?.body, { text: '{{ steps.lead.statusCode | default: "steps.crm. is text" }}' });
    assert.equal(renameStep(definition, 2, 'chat').steps[0]?.otherwise, 'chat');
  });

  it('reports a way that leads back after a step has moved', () => {
    const moved = moveStep(moveStep(definition, 2, -1), 1, -1);
    assert.deepEqual(ids(moved), ['tell', 'crm', 'check']);
    assert.deepEqual(
      findingsHere(moved).map(({ part, path }) => [part, path]),
      [
        [1, 'otherwise'],
        [2, 'otherwise'],
      ],
    );
    assert.equal(targetOf(moved.steps, 1, { path: 'otherwise', to: 'tell' }), 'broken');
    assert.equal(moveStep(definition, 0, -1), definition);
  });

  it('knows which steps can have run before another', () => {
    assert.deepEqual(
      earlierSteps(definition.steps, 2).map(({ id }) => id),
      ['crm', 'check'],
    );
    assert.deepEqual(earlierSteps(definition.steps, 0), []);
  });

  it('finds the place of an issue of the service, also of a test and of a header', () => {
    const found = findingsOfService({
      name: ['must not be empty'],
      steps: ['2.url: must be a URL', '0.headers.X-Api-Key: may not', 'must have at most 30 items'],
      trigger: ['filter.all.1.field: is unknown'],
      definition: ['steps.1.id: must be unique'],
    });
    assert.deepEqual(
      found.map(({ part, path }) => [part, path]),
      [
        [null, 'name'],
        [2, 'url'],
        [0, 'headers.X-Api-Key'],
        [null, 'steps'],
        ['trigger', 'filter.all.1.field'],
        [1, 'id'],
      ],
    );
  });
});

describe('templates in the dashboard', () => {
  const call = {
    from: '+8190',
    metadata: { 'a.b': 1 },
    analysis: { summary: 'Booked.', data: { guests: 3 } },
  } as unknown as Call;

  it('offers the fields of a call with their values, those that people send first', () => {
    const paths = callCompletions(call).map(({ path }) => path);
    assert.deepEqual(paths, ['call.analysis.summary', 'call.analysis.data.guests', 'call.from', 'call.metadata.a.b']);
    assert.ok(callCompletions(null).some(({ path, value }) => path === 'call.from' && value === undefined));
    assert.deepEqual(
      matching(callCompletions(call), 'GUESTS').map(({ value }) => value),
      [3],
    );
    assert.equal(fieldValue(call, 'metadata.a.b'), 1);
    assert.equal(fieldValue(call, 'analysis.data.none'), undefined);
  });

  it('completes what is being typed, and makes it a string in JSON', () => {
    const complete = (text: string, isJson = false) => {
      const caret = text.indexOf('^');
      const plain = text.replace('^', '');
      const typed = typedAt(plain, caret);
      assert.ok(typed);
      const next = completed(plain, caret, typed, 'call.from', isJson);
      return `${next.text.slice(0, next.caret)}^${next.text.slice(next.caret)}`;
    };
    assert.equal(complete('/a/{{ca^'), '/a/{{call.from}}^');
    assert.equal(complete('{{ca^}} b'), '{{call.from}}^ b');
    assert.equal(complete('{"a": {{^}', true), '{"a": "{{call.from}}"^}');
    assert.equal(complete('{"a": "x {{fr^"}', true), '{"a": "x {{call.from}}^"}');
    assert.equal(typedAt('{{call.from}} b', 14), null);
    assert.equal(typedAt('{{call.from | default', 20), null);
  });

  it('copies a request as a command that a shell takes literally', () => {
    const request = { method: 'POST', url: "https://a.example.com/it's", headers: { A: '$(x)' }, body: '{"a":"`b`"}' };
    assert.equal(
      curlOf(request),
      `curl -X POST 'https://a.example.com/it'\\''s' \\\n  -H 'A: $(x)' \\\n  --data-raw '{"a":"\`b\`"}'`,
    );
  });
});

describe('conditions in the dashboard', () => {
  it('reads what is typed as the field takes it', () => {
    const eq = (field: string, text: string) => valueTyped(text, { field, op: 'eq' });
    assert.equal(eq('externalId', '12'), '12');
    assert.equal(eq('metadata.n', '12'), 12);
    assert.equal(eq('metadata.n', '"12"'), '12');
    assert.equal(eq('analysis.successful', 'false'), false);
    assert.equal(typedValue('12'), '"12"');
    assert.deepEqual(valueTyped('ended, error', { field: 'status', op: 'in' }), ['ended', 'error']);
    const leaf = { field: 'metadata.n', op: 'eq', value: 3 };
    assert.deepEqual(withOperator(leaf, 'exists'), { ...leaf, op: 'exists', value: true });
    assert.deepEqual(withOperator(leaf, 'in'), { ...leaf, op: 'in', value: [3] });
  });
});

describe('the form of a workflow', () => {
  const base = { name: 'A', description: '', ...definition };

  it('merges what two people have changed, by part', () => {
    const theirs = { ...base, name: 'B', trigger: { event: 'call_ended' } };
    const mine = { ...base, name: 'C' };
    assert.deepEqual(changedValues(base, theirs), ['name', 'trigger']);
    assert.deepEqual(mergedValues(base, theirs, mine), { ...theirs, name: 'C' });
    assert.deepEqual(mergedValues(base, theirs, mine, { name: 'theirs' }), theirs);
    const reordered = { ...base, trigger: { agentIds: [], event: 'call_analyzed' } };
    assert.deepEqual(changedValues(base, reordered), [], 'the order of fields and defaults are no change');
  });
});

describe('the state of a workflow', () => {
  const workflow = { id: 'wfl_1', enabled: true, disabledReason: null } as unknown as Workflow;
  const run = (status: string) => ({ workflowId: 'wfl_1', status }) as unknown as WorkflowRun;

  it('is failing if the newest run that ended by itself failed, or the service gave up', () => {
    assert.equal(healthOf(workflow, []), 'active');
    assert.equal(healthOf(workflow, [run('waiting'), run('failed'), run('succeeded')]), 'failing');
    assert.equal(healthOf(workflow, [run('canceled'), run('succeeded'), run('failed')]), 'active');
    assert.equal(healthOf({ ...workflow, enabled: false }, [run('failed')]), 'disabled');
    const givenUp = healthOf({ ...workflow, enabled: false, disabledReason: 'failing' }, []);
    assert.equal(givenUp, 'disabled_failing');
    assert.ok(isFailing(givenUp));
  });
});

describe('the graph of a workflow', () => {
  it('goes down without boxes above each other', () => {
    const steps = [...definition.steps, { id: 'last', type: 'wait', seconds: 60 }];
    const boxes = steps.map((step, position): GraphBox => {
      const ways = waysOf(step).flatMap((way) => {
        const target = targetOf(steps, position, way);
        return target === 'none'
          ? []
          : [{ path: way.path, label: '', to: typeof target === 'number' ? target : null, isOpen: false }];
      });
      return {
        kind: step.type,
        title: '',
        id: step.id,
        text: '',
        badge: null,
        isActive: false,
        problems: 0,
        label: '',
        ways: ways.filter(({ path }) => path !== 'next'),
        following: ways.find(({ path }) => path === 'next'),
      };
    });
    const places = placesOf(boxes);
    for (const [position, { x, y }] of places.entries()) {
      const box = boxes[position] as GraphBox;
      for (const { to } of box.following === undefined ? box.ways : [box.following, ...box.ways]) {
        if (to !== null) assert.ok((places[to]?.y ?? 0) > y + nodeHeight(box), 'every way leads down');
      }
      for (const [other, place] of places.entries()) {
        if (other <= position || Math.abs(place.x - x) >= nodeWidth) continue;
        assert.ok(place.y >= y + nodeHeight(box), `${position} and ${other} do not overlap`);
      }
    }
  });
});
