import type { Layout, LayoutRequest } from './geometry.ts';
import { placedLayout } from './placed.ts';

interface Message {
  readonly data: { readonly id: number; readonly request: LayoutRequest };
}

const scope = globalThis as unknown as {
  onmessage: (message: Message) => void;
  postMessage(answer: { readonly id: number; readonly layout: Layout }): void;
};
let earlier: Layout['edges'] = {};

scope.onmessage = ({ data: { id, request } }) => {
  const layout = placedLayout(request, earlier);
  earlier = layout.edges;
  scope.postMessage({ id, layout });
};
