import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type UploadProgress, VoiceAgentsError } from '../../sdk/src/index.ts';
import { useStartedService } from './support/started-service.ts';

const faq = '# Returns\n\nQ: How long can I return a book?\nA: Within ten days, with the receipt.\n';

describe('documents with the SDK', () => {
  const service = useStartedService();

  it('uploads a file with its progress, and waits until it is searched', async () => {
    const client = await service.newClient();
    const base = await client.knowledgeBases.create({ name: 'Shop', language: 'en' });
    const filler = '\n\nNothing else is known about this matter.'.repeat(5000);
    const file = new File([faq, filler], 'faq.md');
    const seen: UploadProgress[] = [];
    const onProgress = (progress: UploadProgress) => void seen.push(progress);
    const document = await client.documents.upload(base.id, file, { onProgress, waitUntilSettled: true });
    assert.deepEqual(
      [document.error, document.status, document.name, document.upload],
      [null, 'ready', 'faq.md', null],
    );
    assert.ok(seen.length > 1, 'in several parts');
    assert.deepEqual(seen.at(-1), { sentBytes: file.size, totalBytes: file.size });
    const { results } = await client.knowledgeBases.search(base.id, { query: 'return a book' });
    assert.match(results[0]?.chunk.text ?? '', /Within ten days/);

    const changed = new TextEncoder().encode(faq.replace('ten', 'thirty'));
    const options = { fileName: 'faq.md', documentId: document.id, waitUntilSettled: true };
    const replaced = await client.documents.upload(base.id, changed, options);
    assert.deepEqual([replaced.id, replaced.status, replaced.revision], [document.id, 'ready', 2]);
  });

  it('returns a document that failed with its error', async () => {
    const client = await service.newClient();
    const base = await client.knowledgeBases.create({ name: 'Shop' });
    const bytes = new Uint8Array([0, 1, 2, 3, 255, 254, 0, 9]);
    await assert.rejects(client.documents.upload(base.id, bytes), VoiceAgentsError);
    const failed = await client.documents.upload(base.id, bytes, { fileName: 'what.bin', waitUntilSettled: true });
    assert.deepEqual([failed.status, failed.error?.code], ['failed', 'unsupported_type']);
  });

  it('uploads again after a lost connection', async () => {
    let lost = 0;
    const client = await service.newClient({
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (init?.method !== 'PUT' || lost > 0) return response;
        lost += 1;
        throw new TypeError('the connection was lost after the bytes arrived');
      },
    });
    const base = await client.knowledgeBases.create({ name: 'Shop' });
    const document = await client.documents.upload(base.id, new File([faq], 'faq.md'), { waitUntilSettled: true });
    assert.deepEqual([lost, document.status, document.revision], [1, 'ready', 1]);
  });

  it('uploads with XMLHttpRequest in browsers, without the key', async (context) => {
    const sent: Record<string, string>[] = [];
    /** Sends with fetch, as a browser would with its own. */
    class FakeRequest {
      readonly upload: { onprogress?: (event: { loaded: number }) => void } = {};
      status = 0;
      responseText = '';
      onload = () => {};
      onloadend = () => {};
      #address = ['', ''];
      readonly #headers: Record<string, string> = {};
      open(...address: string[]) {
        this.#address = address;
      }
      setRequestHeader(name: string, value: string) {
        this.#headers[name] = value;
      }
      getAllResponseHeaders = () => 'content-type: application/json\r\nx-request-id: req_1\r\n';
      abort() {}
      async send(body: Blob) {
        sent.push(this.#headers);
        const [method = '', url = ''] = this.#address;
        const response = await fetch(url, { method, headers: this.#headers, body });
        this.upload.onprogress?.({ loaded: body.size });
        this.status = response.status;
        this.responseText = await response.text();
        this.onload();
        this.onloadend();
      }
    }
    Object.assign(globalThis, { XMLHttpRequest: FakeRequest });
    context.after(() => Reflect.deleteProperty(globalThis, 'XMLHttpRequest'));
    const client = await service.newClient();
    const base = await client.knowledgeBases.create({ name: 'Shop' });
    const seen: number[] = [];
    const document = await client.documents.upload(base.id, new File([faq], 'faq.md'), {
      onProgress: ({ sentBytes }) => void seen.push(sentBytes),
      waitUntilSettled: true,
    });
    assert.equal(document.status, 'ready');
    assert.deepEqual(seen, [faq.length]);
    assert.deepEqual(sent, [{ accept: 'application/json', 'content-type': 'application/octet-stream' }]);
  });
});
