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
import { createEmbeddings } from './areas/knowledge/embeddings/embeddings.ts';
import { createExtraction } from './areas/knowledge/extraction/child-extraction.ts';
import { createKnowledgeSearch } from './areas/knowledge/search/resident-search.ts';
import { createPhone, type PhoneSettings } from './areas/phone/area.ts';
import { createLocalCarrierHost } from './areas/phone/local-carrier.ts';
import { createProviders } from './areas/providers/area.ts';
import { createSecrets } from './areas/secrets/area.ts';
import { createSimulations } from './areas/simulations/area.ts';
import { createWebhooks } from './areas/webhooks/area.ts';
import { createIdempotencyStore } from './changes/idempotency/store.ts';
import type { RateLimiters } from './http/admission/rate-limits.ts';
import type { Lifecycle } from './http/shutdown.ts';
import { createGuard } from './net/guard.ts';
import { AllowedNetworks } from './net/networks.ts';

export type Areas = ReturnType<typeof createAreas>;

/** Creates the areas. They do not import each other: what one needs of another is passed in here. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one call after another, which wires the areas together.
export function createAreas(
  kernel: Kernel,
  parts: AppParts,
  {
    lifecycle,
    rateLimiters,
    ownAddress,
  }: { readonly lifecycle: Lifecycle; readonly rateLimiters: RateLimiters; readonly ownAddress: () => string },
) {
  const { database, sealer, now } = kernel;
  const { hasReadCache = true, hasNameIndex = true, otherAreas = () => [] } = parts;
  const allowedNetworks = new AllowedNetworks(parts.allowedNetworks);
  const secrets = createSecrets(kernel, (...given) => agents.usersOfSecret(...given));
  const { eventRetentionDays } = parts;
  const guard = createGuard({ allowedNetworks, proxy: parts.outboundProxy ?? null });
  const webhooks = createWebhooks(kernel, {
    eventRetentionDays,
    listeners: [],
    clock: parts.now,
    guard,
    allowedNetworks,
    existingAgents: (...given) => agents.existing(...given),
    hasOpenCalls,
    transcriptOf: createTranscripts(database, sealer),
    publishedVersion: async (queries, workspaceId, id) =>
      (await agents.findVersion(queries, workspaceId, id, 'published'))?.agent,
    mayClaim: () => lifecycle.stage === 'serving',
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
  });
  const audit = createAudit(kernel);
  const keys = createKeys(kernel, (queries, { workspaceId, id: resourceId, name: resourceName }, cause) =>
    audit.record(queries, { ...cause, workspaceId, resourceId, resourceName, routeId: 'apiKeys.create' }),
  );
  const figures = createFigures(kernel, agents.count);
  const simulations = createSimulations(agents, parts.simulations);
  const idempotency = createIdempotencyStore(database, sealer, now);
  const calls = createCalls(
    kernel,
    { ...parts.calls, leaseMs: parts.leaseMs },
    {
      agents: { readVersion: agents.findVersion, publishingIssues: agents.callIssues },
      guard,
      speech: parts.speech,
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
  const { llm, clock } = parts.calls;
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
    usersOf: agents.usersOfKnowledgeBase,
    writeEvent: webhooks.events.write,
    forgetSubject: webhooks.events.forgetSubject,
  });
  const analysis = createAnalysis(kernel, { llm, clock }, calls.analyzed, agents.findVersion);
  const analytics = createAnalytics(kernel, {
    llm,
    callsBefore: calls.before,
    pricedCalls: calls.priced,
    writeEvent: webhooks.events.write,
    forgetSubject: webhooks.events.forgetSubject,
  });
  const areas: readonly Area[] = [
    agents.area,
    keys.area,
    audit.area,
    figures.area,
    calls.area,
    createProviders(parts.speech),
    analysis.area,
    simulations.area,
    secrets.area,
    webhooks.area,
    phone.area,
    knowledge.area,
    analytics.area,
    ...otherAreas(kernel, calls.phone),
  ];

  return { areas, guard, keys, audit, figures, idempotency };
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
  {
    calls: { publicUrl },
    embeddings: config = null,
    outboundProxy = null,
    knowledgeMemoryMb: maxMemoryMb = 256,
  }: AppParts,
  allowedNetworks: AllowedNetworks,
): KnowledgeSettings {
  return {
    publicUrl,
    allowedNetworks,
    embeddings: createEmbeddings(config, outboundProxy),
    extraction: createExtraction(),
    search: createKnowledgeSearch(database, { maxMemoryMb, embeddings: config }),
  };
}
