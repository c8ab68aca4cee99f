import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import elkjs from 'elkjs/lib/main.js';
import { parse } from 'yaml';
import { roundedPath } from '../../dashboard/src/flow/canvas/rounded-path.ts';
import type { Flow } from '../../dashboard/src/flow/flow.ts';
import { elkGraphOf, layoutOf } from '../../dashboard/src/flow/layout/elk-graph.ts';
import { boxesOf, crosses, type Layout, nodeHeight, passesBehind } from '../../dashboard/src/flow/layout/geometry.ts';
import { placedLayout } from '../../dashboard/src/flow/layout/placed.ts';
import { layoutRequestOf } from '../../dashboard/src/flow/layout/request.ts';
import { generatedFlow, randomOf } from './support/generated-flow.ts';

const salon = (
  parse(readFileSync(new URL('../../examples/salon/agent.yaml', import.meta.url), 'utf8')) as {
    agentSettings: { flow: Flow };
  }
).agentSettings.flow;

const flows: readonly (readonly [string, Flow])[] = [
  ['the salon', salon],
  ['60 generated steps', generatedFlow(60, 7)],
];

function hiddenEdges(flow: Flow, layout: Layout): readonly string[] {
  const boxes = boxesOf(layoutRequestOf(flow, 0).nodes, layout.places);
  return Object.entries(layout.edges).flatMap(([id, points]) => (passesBehind(points, boxes) ? [id] : []));
}

function overlaps(flow: Flow, { places }: Layout): number {
  const boxes = boxesOf(layoutRequestOf(flow, 0).nodes, places);
  return boxes.filter((one, index) =>
    boxes
      .slice(index + 1)
      .some(
        (other) =>
          one.x < other.x + other.width &&
          other.x < one.x + one.width &&
          one.y < other.y + other.height &&
          other.y < one.y + one.height,
      ),
  ).length;
}

describe('the layout of a flow', () => {
  const layouts = new Map<Flow, Layout>();
  before(async () => {
    // A CommonJS module, whose types say otherwise.
    const Elk = elkjs as unknown as typeof elkjs.default;
    const elk = new Elk();
    for (const [, flow] of flows) layouts.set(flow, layoutOf(await elk.layout(elkGraphOf(layoutRequestOf(flow, 0)))));
  });

  for (const [name, flow] of flows) {
    it(`leads no edge behind a step: ${name}`, () => {
      const layout = layouts.get(flow) as Layout;
      const count = layoutRequestOf(flow, 0).nodes.flatMap(({ ways }) => ways.filter(({ to }) => to !== null)).length;
      assert.equal(Object.keys(layout.edges).length, count, 'every route is an edge');
      assert.deepEqual(hiddenEdges(flow, layout), []);
      assert.equal(overlaps(flow, layout), 0);
    });

    it(`leads no edge behind a step that the user has moved: ${name}`, () => {
      const random = randomOf(11);
      const { places } = layouts.get(flow) as Layout;
      // Every step somewhere else, in a grid that leaves room for lines.
      const columns = Math.ceil(Math.sqrt(places.length));
      const order = places.map((_, index) => index).toSorted(() => random() - 0.5);
      const moved = places.map((_, index) => {
        const cell = order[index] as number;
        return { x: (cell % columns) * 330 + random() * 40, y: Math.floor(cell / columns) * 420 + random() * 40 };
      });
      const layout = placedLayout({ ...layoutRequestOf(flow, 0), places: moved });
      assert.deepEqual(layout.places, moved);
      assert.deepEqual(hiddenEdges(flow, layout), []);
    });
  }

  it('keeps the edges that an edit does not touch', () => {
    const { places } = layouts.get(salon) as Layout;
    const request = layoutRequestOf(salon, 0);
    const first = placedLayout({ ...request, places });
    const last = places.length - 1;
    const moved = places.with(last, { x: (places[last]?.x ?? 0) + 400, y: places[last]?.y ?? 0 });
    const second = placedLayout({ ...request, places: moved }, first.edges);
    const changed = Object.keys(first.edges).filter((id) => first.edges[id] !== second.edges[id]);
    const touched = request.nodes.flatMap(({ ways }, position) =>
      ways.filter(({ to }) => to === last || position === last).map(({ path }) => `${position} ${path}`),
    );
    assert.ok(changed.length <= touched.length + 6, `${changed.length} of ${Object.keys(first.edges).length}`);
    assert.ok(changed.length > 0);
  });

  it('gives a new step a free place next to what leads to it', () => {
    const { places } = layouts.get(salon) as Layout;
    const flow = {
      ...salon,
      skills: [
        ...salon.skills.with(0, { ...salon.skills[0], otherwise: 'extra' } as never),
        { id: 'extra', type: 'end' },
      ],
    };
    const layout = placedLayout({ ...layoutRequestOf(flow, 0), places: [...places, null] });
    assert.equal(overlaps(flow, layout), 0);
    assert.ok((layout.places.at(-1)?.x ?? 0) > (places[0]?.x ?? 0));
  });

  it('tells a line along a border from one behind the step', () => {
    const box = { x: 0, y: 0, width: 100, height: nodeHeight(1) };
    assert.equal(crosses({ x: -50, y: 20 }, { x: 0, y: 20 }, box), false);
    assert.equal(crosses({ x: -50, y: 0 }, { x: 150, y: 0 }, box), false);
    assert.equal(crosses({ x: -50, y: 20 }, { x: 150, y: 20 }, box), true);
    assert.equal(roundedPath([]), '');
    assert.equal(
      roundedPath([
        { x: 0, y: 0 },
        { x: 10, y: 0 },
      ]),
      'M0 0L10 0',
    );
  });
});
