import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, readConfig } from '../src/config.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const tracing = (variables: Record<string, string>) => readConfig({ ...endpoint, ...variables }).tracing;

describe('the configuration of tracing', () => {
  it('is off without an endpoint, and with OTEL_SDK_DISABLED', () => {
    const others = { OTEL_SERVICE_NAME: 'desk', OTEL_TRACES_SAMPLER: 'always_on' };
    assert.equal(readConfig(others).tracing, null);
    assert.equal(readConfig({ ...others, OTEL_EXPORTER_OTLP_ENDPOINT: '' }).tracing, null);
    assert.equal(tracing({ OTEL_SDK_DISABLED: 'TRUE' }), null);
    assert.notEqual(tracing({ OTEL_SDK_DISABLED: 'false' }), null);
  });

  it('has the defaults of OpenTelemetry', () => {
    assert.deepEqual(tracing({}), {
      url: 'http://collector:4318/v1/traces',
      headers: {},
      timeoutMs: 10_000,
      resource: { 'service.name': 'voice-agents' },
      sampleRatio: 1,
      hasContent: false,
    });
  });

  it('reads every variable', () => {
    assert.deepEqual(
      tracing({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otlp.example.com/otlp/',
        OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20YTpi==, x-team = desk ,',
        OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
        OTEL_SERVICE_NAME: 'desk',
        OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=pre%2Cprod',
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'span_only',
      }),
      {
        url: 'https://otlp.example.com/otlp/v1/traces',
        headers: { authorization: 'Basic YTpi==', 'x-team': 'desk' },
        timeoutMs: 2500,
        resource: { 'service.name': 'desk', 'deployment.environment.name': 'pre,prod' },
        sampleRatio: 0.25,
        hasContent: true,
      },
    );
    assert.deepEqual(tracing({ OTEL_RESOURCE_ATTRIBUTES: 'service.name=other' })?.resource, {
      'service.name': 'other',
    });
    const ratio = (sampler: string) =>
      tracing({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '.5' })?.sampleRatio;
    assert.deepEqual(['always_on', 'parentbased_always_off', 'traceidratio'].map(ratio), [1, 0, 0.5]);
    const content = (value: string) =>
      tracing({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value })?.hasContent;
    assert.deepEqual(['true', 'false', 'NO_CONTENT', ''].map(content), [true, false, false, false]);
  });

  it('reports invalid values, also while tracing is off, and never a credential', () => {
    const wrong: [string, string][] = [
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:hunter2@collector:4318'],
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://hunter2:4317'],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2'],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=hunter2%'],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=hunter2%0d%0ahost: other'],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=hunter2'],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'Content-Type=hunter2'],
      ['OTEL_EXPORTER_OTLP_TIMEOUT', '0'],
      ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s'],
      ['OTEL_RESOURCE_ATTRIBUTES', 'a'],
      ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
      ['OTEL_TRACES_SAMPLER_ARG', '1.01'],
      ['OTEL_TRACES_SAMPLER_ARG', '1e-3'],
      ['OTEL_SDK_DISABLED', '1'],
      ['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT', 'EVENT_ONLY'],
    ];
    for (const [name, value] of wrong) {
      assert.throws(
        () => readConfig({ [name]: value }),
        (error) => {
          assert.ok(error instanceof ConfigError, `${name}=${value}`);
          assert.ok(error.message.startsWith(`${name} must `), error.message);
          assert.ok(!error.message.includes('hunter2'), error.message);
          return true;
        },
      );
    }
  });

  it('names variables of OpenTelemetry that have no effect', () => {
    const { unusedTracingVariables } = readConfig({
      ...endpoint,
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_LOGS_EXPORTER: '',
      PATH: '/bin',
    });
    assert.deepEqual(unusedTracingVariables, ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_METRICS_EXPORTER']);
  });
});
