import type { AppParts } from './app-parts.ts';
import { createAgents } from './areas/agents/area.ts';
import { createAnalysis } from './areas/analysis/area.ts';
import { createAnalytics } from './areas/analytics/area.ts';
import type { Area, Kernel } from './areas/area.ts';
import { createAudit } from './areas/audit/area.ts';
import { createCalls } from './areas/calls/area.ts';
import { hasOpenCalls, openCallsOfNumber } from './areas/calls/record/store.ts';
import { createTranscripts } from './areas/calls/record/transcript.ts';
import { createFigures } from './areas/figures/area.ts';
import { createKeys } from './areas/keys/area.ts';
import { createKnowledge, type KnowledgeSettings } from './areas/knowledge/area.ts';
import { createEmbeddings, type Embeddings } from './areas/knowledge/embeddings/embeddings.ts';
import { createExtraction } from './areas/knowledge/extraction/child-extraction.ts';
import { createKnowledgeSearch } from './areas/knowledge/search/resident-search.ts';
import { createPhone, type PhoneSettings } from './areas/phone/area.ts';
import { createLocalCarrierHost } from './areas/phone/local-carrier.ts';
import { noOperatorAccounts, type OperatorProviders } from './areas/providers/accounts/workspace-providers.ts';
import { createProviders } from './areas/providers/area.ts';
import { createSecrets } from './areas/secrets/area.ts';
import { createSimulations } from './areas/simulations/area.ts';
import { createWebhooks } from './areas/webhooks/area.ts';
import { createWorkflows } from './areas/workflows/area.ts';
import { createIdempotencyStore } from './changes/idempotency/store.ts';
import type { RateLimiters } from './http/admission/rate-limits.ts';
import type { Lifecycle } from './http/shutdown.ts';
import { createGuard } from './net/guard.ts';
import { AllowedNetworks } from './net/networks.ts';
import { realClock } from './voice/clock.ts';
import type { Llm } from './voice/llm.ts';

export type Areas = ReturnType<typeof createAreas>;

/** Creates the areas. They do not import each other: what one needs of another is passed in here. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one call after another, which wires the areas together.
export function createAreas(
  kernel: Kernel,
  parts: AppParts,
  {
    lifecycle,
    mayClaim,
    rateLimiters,
    ownAddress,
  }: {
    readonly lifecycle: Lifecycle;
    readonly mayClaim: () => boolean;
    readonly rateLimiters: RateLimiters;
    readonly ownAddress: () => string;
  },
) {
  const { database, sealer, now } = kernel;
  const { hasReadCache = true, hasNameIndex = true, otherAreas = () => [] } = parts;
  const allowedNetworks = new AllowedNetworks(parts.allowedNetworks);
  const secrets = createSecrets(kernel, async (...given) => [
    ...(await agents.usersOfSecret(...given)),
    ...(await workflows.usersOfSecret(...given)),
  ]);
  const { eventRetentionDays } = parts;
  const guard = createGuard({ allowedNetworks, proxy: parts.outboundProxy ?? null });
  const webhooks = createWebhooks(kernel, {
    eventRetentionDays,
    listeners: [(...given) => workflows.onEvent(...given)],
    clock: parts.now,
    guard,
    allowedNetworks,
    existingAgents: (...given) => agents.existing(...given),
    hasOpenCalls,
    transcriptOf: createTranscripts(database, sealer),
    publishedVersion: async (queries, workspaceId, id) =>
      (await agents.findVersion(queries, workspaceId, id, 'published'))?.agent,
    mayClaim,
    sending:
      parts.webhookSending === null
        ? null
        : { ...(parts.leaseMs === undefined ? {} : { leaseMs: parts.leaseMs }), ...parts.webhookSending },
  });
  const agents = createAgents(kernel, {
    hasNameIndex,
    hasReadCache,
    allowedNetworks,
    secretHosts: secrets.hosts,
    knowledgeBases: (...given) => knowledge.attached(...given),
    onChange: webhooks.agentWebhooks.changed,
    onPublish: webhooks.agentWebhooks.published,
    onDelete: webhooks.agentWebhooks.deleted,
    toolTest: {
      guard,
      secrets: secrets.open,
      ensureSigningSecret: webhooks.agentWebhooks.ensure,
      signingSecrets: webhooks.agentWebhooks.secrets,
    },
  });
  const audit = createAudit(kernel);
  const keys = createKeys(kernel, (queries, { workspaceId, id: resourceId, name: resourceName }, cause) =>
    audit.record(queries, { ...cause, workspaceId, resourceId, resourceName, routeId: 'apiKeys.create' }),
  );
  const figures = createFigures(kernel, agents.count);
  const simulations = createSimulations(agents, parts.simulations);
  const idempotency = createIdempotencyStore(database, sealer, now);
  const providers = createProviders(kernel, {
    operator: operatorProviders(parts),
    newEmbeddings: createEmbeddings,
    connect: guard.connect,
    allowedNetworks,
    clock: parts.calls.clock ?? realClock,
    onEmbeddingsChange: (...given) => knowledge.embeddingsChanged(...given),
  });
  const llmOf = (workspaceId: string): Llm | null => providers.of(workspaceId).llm;
  const calls = createCalls(
    kernel,
    { ...parts.calls, leaseMs: parts.leaseMs, tracing: parts.tracing ?? null },
    {
      agents: { readVersion: agents.findVersion, publishingIssues: agents.callIssues },
      guard,
      speechOf: (workspaceId) => providers.of(workspaceId).speech,
      llmOf,
      secrets: secrets.open,
      webhooks: {
        write: webhooks.events.write,
        removal: webhooks.events,
        ensure: webhooks.agentWebhooks.ensure,
        secrets: webhooks.agentWebhooks.secrets,
      },
      savedResponses: idempotency,
      analyses: {
        begin: (...given) => analysis.begin(...given),
        rewrite: (...given) => analysis.rewrite(...given),
        remove: (...given) => analysis.remove(...given),
      },
      costOf: (...given) => analytics.costOf(...given),
      onSettled: async (queries, settled) => {
        for (const area of areas) await area.onCallSettled?.(queries, settled);
      },
      onMissed: async (queries, missed) => {
        for (const area of areas) await area.onCallMissed?.(queries, missed);
      },
      phone: {
        outbound: (...given) => phone.lines.outbound(...given),
        maxConcurrent: (...given) => phone.lines.maxConcurrent(...given),
        dial: (...given) => phone.lines.dial(...given),
        checkTransfer: (...given) => phone.lines.checkTransfer(...given),
        transfer: (...given) => phone.lines.transfer(...given),
        reconnect: (...given) => phone.lines.reconnect(...given),
        doNotCall: (...given) => phone.lines.doNotCall(...given),
      },
      knowledge: {
        attached: (...given) => knowledge.attached(...given),
        load: (...given) => knowledge.load(...given),
        forCall: (...given) => knowledge.forCall(...given),
      },
      findValidKeys: keys.findValidKeys,
      admitToken: (tokenId) => rateLimiters.accessTokens.admit(tokenId),
    },
  );
  const { clock } = parts.calls;
  const phone = createPhone(kernel, phoneSettings(kernel, parts, allowedNetworks, ownAddress), {
    existingAgents: agents.existing,
    findAgent: agents.findVersion,
    ensureSecret: webhooks.agentWebhooks.ensureSecret,
    secrets: webhooks.agentWebhooks.secrets,
    calls: calls.phone,
    openCalls: openCallsOfNumber,
    guard,
    isServing: () => lifecycle.stage === 'serving',
    writeEvent: webhooks.events.write,
    forgetSubject: webhooks.events.forgetSubject,
  });
  const knowledge = createKnowledge(kernel, knowledgeSettings(kernel, parts, allowedNetworks), {
    guard,
    embeddingsOf: (workspaceId) => providers.of(workspaceId).embeddings,
    usersOf: agents.usersOfKnowledgeBase,
    writeEvent: webhooks.events.write,
    forgetSubject: webhooks.events.forgetSubject,
  });
  const analysis = createAnalysis(kernel, { llmOf, clock }, calls.analyzed, agents.findVersion);
  const analytics = createAnalytics(kernel, {
    llmOf,
    callsBefore: calls.before,
    pricedCalls: calls.priced,
    writeEvent: webhooks.events.write,
    forgetSubject: webhooks.events.forgetSubject,
  });
  const workflows = createWorkflows(
    kernel,
    {
      retentionDays: eventRetentionDays,
      allowedNetworks,
      clock: parts.now,
      mayClaim,
      running:
        parts.workflowRunning === null
          ? null
          : { ...(parts.leaseMs === undefined ? {} : { leaseMs: parts.leaseMs }), ...parts.workflowRunning },
      ...parts.workflows,
    },
    {
      calls: calls.ofWorkflows,
      secrets: secrets.open,
      secretHosts: secrets.hosts,
      existingAgents: agents.existing,
      guard,
      writeEvent: webhooks.events.write,
      forgetSubject: webhooks.events.forgetSubject,
    },
  );
  const areas: readonly Area[] = [
    agents.area,
    keys.area,
    audit.area,
    figures.area,
    calls.area,
    providers.area,
    analysis.area,
    simulations.area,
    secrets.area,
    webhooks.area,
    phone.area,
    knowledge.area,
    analytics.area,
    workflows.area,
    ...otherAreas(kernel, calls.phone),
  ];

  return { areas, guard, keys, audit, figures, idempotency, loadProviders: providers.load };
}

/** What is in the environment of the service. */
function operatorProviders(parts: AppParts): OperatorProviders<Embeddings> {
  const { speech, calls, embeddings: config = null, outboundProxy: proxy = null, sharesProviders = true } = parts;
  const { operatorAccounts: accounts = noOperatorAccounts } = parts;
  const embeddings = config === null ? null : createEmbeddings(config, { proxy });
  return { speech, llm: calls.llm, embeddings, accounts, isShared: sharesProviders, proxy };
}

function phoneSettings(
  { now }: Kernel,
  { calls: { publicUrl, clock }, twilioUrl = 'https://api.twilio.com', outboundProxy = null, ...parts }: AppParts,
  allowedNetworks: AllowedNetworks,
  ownAddress: () => string,
): PhoneSettings {
  const { localCarrier = createLocalCarrierHost({ now, clock, speech: async () => parts.speech }) } = parts;
  return { publicUrl, twilioUrl, outboundProxy, allowedNetworks, ownAddress, localCarrier, clock };
}

function knowledgeSettings(
  { database }: Kernel,
  { calls: { publicUrl }, knowledgeMemoryMb: maxMemoryMb = 256 }: AppParts,
  allowedNetworks: AllowedNetworks,
): KnowledgeSettings {
  return {
    publicUrl,
    allowedNetworks,
    extraction: createExtraction(),
    search: createKnowledgeSearch(database, { maxMemoryMb }),
  };
}
