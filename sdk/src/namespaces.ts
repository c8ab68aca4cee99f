// Generated from the operations of the API by "npm run generate": do not edit.
import type { ApiPromise } from './api-promise.ts';
import type { PagePromise } from './page.ts';
import { path } from './path.ts';
import {
  type ConditionalOptions,
  joinedQuery,
  type RepeatableOptions,
  type RequestOptions,
  type Transport,
} from './request.ts';
import { Agents } from './resources/agents.ts';
import { ApiKeys } from './resources/api-keys.ts';
import { Calls } from './resources/calls.ts';
import { Documents } from './resources/documents.ts';
import { Events } from './resources/events.ts';
import { Figures } from './resources/figures.ts';
import { PhoneNumbers } from './resources/phone-numbers.ts';
import { Voices } from './resources/voices.ts';
import { Webhooks } from './resources/webhooks.ts';
import { Workflows } from './resources/workflows.ts';
import type {
  AddDoNotCall,
  Alert,
  AnalyticsField,
  AnalyticsQuery,
  AnalyticsResult,
  AuditEntry,
  Carrier,
  Chunk,
  CreateAlert,
  CreateCarrier,
  CreateKnowledgeBase,
  CreateView,
  Credentials,
  DeletedAlert,
  DeletedCarrier,
  DeletedCredentials,
  DeletedDoNotCallEntry,
  DeletedKnowledgeBase,
  DeletedPrices,
  DeletedSecret,
  DeletedView,
  DoNotCallAdded,
  DoNotCallEntry,
  EvaluateKnowledgeBase,
  Evaluation,
  Exploration,
  ExploreFlow,
  FindPages,
  FoundPages,
  KnowledgeBase,
  ListAnalyticAlertsQuery,
  ListAnalyticViewsQuery,
  ListAuditLogQuery,
  ListCarriersQuery,
  ListDoNotCallQuery,
  ListKnowledgeBasesQuery,
  NumberAtCarrier,
  Prices,
  Provider,
  ProviderVerification,
  PutCredentials,
  PutPrices,
  PutSecret,
  RunSimulation,
  SearchKnowledgeBase,
  SearchResults,
  Secret,
  SimulationReport,
  UpdateAlert,
  UpdateCarrier,
  UpdateKnowledgeBase,
  UpdateView,
  View,
} from './schema.ts';

/** The client's namespaces, one per resource. */
export class Namespaces {
  readonly agents: Agents;
  readonly apiKeys: ApiKeys;
  readonly auditLog: AuditLog;
  readonly figures: Figures;
  readonly calls: Calls;
  readonly providers: Providers;
  readonly voices: Voices;
  readonly simulations: Simulations;
  readonly secrets: Secrets;
  readonly webhooks: Webhooks;
  readonly events: Events;
  readonly carriers: Carriers;
  readonly phoneNumbers: PhoneNumbers;
  readonly doNotCall: DoNotCall;
  readonly knowledgeBases: KnowledgeBases;
  readonly documents: Documents;
  readonly analytics: Analytics;
  readonly workflows: Workflows;

  constructor(transport: Transport) {
    this.agents = new Agents(transport);
    this.apiKeys = new ApiKeys(transport);
    this.auditLog = new AuditLog(transport);
    this.figures = new Figures(transport);
    this.calls = new Calls(transport);
    this.providers = new Providers(transport);
    this.voices = new Voices(transport);
    this.simulations = new Simulations(transport);
    this.secrets = new Secrets(transport);
    this.webhooks = new Webhooks(transport);
    this.events = new Events(transport);
    this.carriers = new Carriers(transport);
    this.phoneNumbers = new PhoneNumbers(transport);
    this.doNotCall = new DoNotCall(transport);
    this.knowledgeBases = new KnowledgeBases(transport);
    this.documents = new Documents(transport);
    this.analytics = new Analytics(transport);
    this.workflows = new Workflows(transport);
  }
}

export class AuditLog {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Read the audit trail. */
  list(query: ListAuditLogQuery = {}, options?: RequestOptions): PagePromise<AuditEntry> {
    return this.#transport.list(path`/api/v1/audit-log`, joinedQuery(query), options);
  }
}

export class ProviderCredentials {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Set the credentials of a provider. */
  put(provider: string, body: PutCredentials, options?: RequestOptions): ApiPromise<Credentials> {
    return this.#transport.request({
      method: 'PUT',
      path: path`/api/v1/providers/${provider}/credentials`,
      body,
      options,
    });
  }

  /** Delete the credentials of a provider. */
  delete(provider: string, options?: RequestOptions): ApiPromise<DeletedCredentials> {
    return this.#transport.request({
      method: 'DELETE',
      path: path`/api/v1/providers/${provider}/credentials`,
      options,
    });
  }
}

export class Providers {
  readonly credentials: ProviderCredentials;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.credentials = new ProviderCredentials(transport);
  }

  /** List providers. */
  list(options?: RequestOptions): PagePromise<Provider> {
    return this.#transport.list(path`/api/v1/providers`, {}, options);
  }

  /** Verify a provider. */
  verify(provider: string, options?: RequestOptions & RepeatableOptions): ApiPromise<ProviderVerification> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/providers/${provider}/verify`, options });
  }
}

export class Simulations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Simulate a conversation. */
  run(body: RunSimulation, options?: RequestOptions): ApiPromise<SimulationReport> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/simulations`, body, options });
  }

  /** Explore a flow. */
  explore(body: ExploreFlow, options?: RequestOptions): ApiPromise<Exploration> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/simulations/explore`, body, options });
  }
}

export class Secrets {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List secrets. */
  list(options?: RequestOptions): PagePromise<Secret> {
    return this.#transport.list(path`/api/v1/secrets`, {}, options);
  }

  /** Set a secret. */
  put(name: string, body: PutSecret, options?: RequestOptions): ApiPromise<Secret> {
    return this.#transport.request({ method: 'PUT', path: path`/api/v1/secrets/${name}`, body, options });
  }

  /** Delete a secret. */
  delete(name: string, options?: RequestOptions): ApiPromise<DeletedSecret> {
    return this.#transport.request({ method: 'DELETE', path: path`/api/v1/secrets/${name}`, options });
  }
}

export class CarrierNumbers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the numbers of a carrier. */
  list(id: string, options?: RequestOptions): PagePromise<NumberAtCarrier> {
    return this.#transport.list(path`/api/v1/carriers/${id}/numbers`, {}, options);
  }
}

export class Carriers {
  readonly numbers: CarrierNumbers;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.numbers = new CarrierNumbers(transport);
  }

  /** Connect a carrier. */
  create(body: CreateCarrier, options?: RequestOptions & RepeatableOptions): ApiPromise<Carrier> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/carriers`, body, options });
  }

  /** List carriers. */
  list(query: ListCarriersQuery = {}, options?: RequestOptions): PagePromise<Carrier> {
    return this.#transport.list(path`/api/v1/carriers`, joinedQuery(query), options);
  }

  /** Get a carrier. */
  get(id: string, options?: RequestOptions): ApiPromise<Carrier> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/carriers/${id}`, options });
  }

  /** Update a carrier. */
  update(id: string, body: UpdateCarrier, options?: RequestOptions & ConditionalOptions): ApiPromise<Carrier> {
    return this.#transport.request({ method: 'PATCH', path: path`/api/v1/carriers/${id}`, body, options });
  }

  /** Delete a carrier. */
  delete(id: string, options?: RequestOptions & ConditionalOptions): ApiPromise<DeletedCarrier> {
    return this.#transport.request({ method: 'DELETE', path: path`/api/v1/carriers/${id}`, options });
  }

  /** Verify a carrier. */
  verify(id: string, options?: RequestOptions & RepeatableOptions): ApiPromise<Carrier> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/carriers/${id}/verify`, options });
  }
}

export class DoNotCall {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List numbers that must not be called. */
  list(query: ListDoNotCallQuery = {}, options?: RequestOptions): PagePromise<DoNotCallEntry> {
    return this.#transport.list(path`/api/v1/do-not-call`, joinedQuery(query), options);
  }

  /** Add numbers that must not be called. */
  add(body: AddDoNotCall, options?: RequestOptions & RepeatableOptions): ApiPromise<DoNotCallAdded> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/do-not-call`, body, options });
  }

  /** Remove a number from the do-not-call list. */
  delete(number: string, options?: RequestOptions): ApiPromise<DeletedDoNotCallEntry> {
    return this.#transport.request({ method: 'DELETE', path: path`/api/v1/do-not-call/${number}`, options });
  }
}

export class KnowledgeBaseChunks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Get a chunk. */
  get(id: string, chunkId: string, options?: RequestOptions): ApiPromise<Chunk> {
    return this.#transport.request({
      method: 'GET',
      path: path`/api/v1/knowledge-bases/${id}/chunks/${chunkId}`,
      options,
    });
  }
}

export class KnowledgeBasePages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Find the pages of a website. */
  find(id: string, body: FindPages, options?: RequestOptions): ApiPromise<FoundPages> {
    return this.#transport.request({
      method: 'POST',
      path: path`/api/v1/knowledge-bases/${id}/find-pages`,
      body,
      options,
    });
  }
}

export class KnowledgeBases {
  readonly chunks: KnowledgeBaseChunks;
  readonly pages: KnowledgeBasePages;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.chunks = new KnowledgeBaseChunks(transport);
    this.pages = new KnowledgeBasePages(transport);
  }

  /** Create a knowledge base. */
  create(body: CreateKnowledgeBase, options?: RequestOptions & RepeatableOptions): ApiPromise<KnowledgeBase> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/knowledge-bases`, body, options });
  }

  /** List knowledge bases. */
  list(query: ListKnowledgeBasesQuery = {}, options?: RequestOptions): PagePromise<KnowledgeBase> {
    return this.#transport.list(path`/api/v1/knowledge-bases`, joinedQuery(query), options);
  }

  /** Get a knowledge base. */
  get(id: string, options?: RequestOptions): ApiPromise<KnowledgeBase> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/knowledge-bases/${id}`, options });
  }

  /** Update a knowledge base. */
  update(
    id: string,
    body: UpdateKnowledgeBase,
    options?: RequestOptions & ConditionalOptions,
  ): ApiPromise<KnowledgeBase> {
    return this.#transport.request({ method: 'PATCH', path: path`/api/v1/knowledge-bases/${id}`, body, options });
  }

  /** Delete a knowledge base. */
  delete(id: string, options?: RequestOptions & ConditionalOptions): ApiPromise<DeletedKnowledgeBase> {
    return this.#transport.request({ method: 'DELETE', path: path`/api/v1/knowledge-bases/${id}`, options });
  }

  /** Search a knowledge base. */
  search(id: string, body: SearchKnowledgeBase, options?: RequestOptions): ApiPromise<SearchResults> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/knowledge-bases/${id}/search`, body, options });
  }

  /** Evaluate a knowledge base. */
  evaluate(id: string, body: EvaluateKnowledgeBase, options?: RequestOptions): ApiPromise<Evaluation> {
    return this.#transport.request({
      method: 'POST',
      path: path`/api/v1/knowledge-bases/${id}/evaluate`,
      body,
      options,
    });
  }
}

export class AnalyticFields {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List metrics, dimensions and fields. */
  list(options?: RequestOptions): PagePromise<AnalyticsField> {
    return this.#transport.list(path`/api/v1/analytics/fields`, {}, options);
  }
}

export class AnalyticPrices {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List prices. */
  list(options?: RequestOptions): PagePromise<Prices> {
    return this.#transport.list(path`/api/v1/analytics/prices`, {}, options);
  }

  /** Set prices. */
  put(validFrom: string, body: PutPrices, options?: RequestOptions): ApiPromise<Prices> {
    return this.#transport.request({ method: 'PUT', path: path`/api/v1/analytics/prices/${validFrom}`, body, options });
  }

  /** Delete prices. */
  delete(validFrom: string, options?: RequestOptions): ApiPromise<DeletedPrices> {
    return this.#transport.request({ method: 'DELETE', path: path`/api/v1/analytics/prices/${validFrom}`, options });
  }
}

export class AnalyticViews {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List views. */
  list(query: ListAnalyticViewsQuery = {}, options?: RequestOptions): PagePromise<View> {
    return this.#transport.list(path`/api/v1/analytics/views`, joinedQuery(query), options);
  }

  /** Create a view. */
  create(body: CreateView, options?: RequestOptions & RepeatableOptions): ApiPromise<View> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/analytics/views`, body, options });
  }

  /** Get a view. */
  get(id: string, options?: RequestOptions): ApiPromise<View> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/analytics/views/${id}`, options });
  }

  /** Update a view. */
  update(id: string, body: UpdateView, options?: RequestOptions & ConditionalOptions): ApiPromise<View> {
    return this.#transport.request({ method: 'PATCH', path: path`/api/v1/analytics/views/${id}`, body, options });
  }

  /** Delete a view. */
  delete(id: string, options?: RequestOptions & ConditionalOptions): ApiPromise<DeletedView> {
    return this.#transport.request({ method: 'DELETE', path: path`/api/v1/analytics/views/${id}`, options });
  }
}

export class AnalyticAlerts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List alerts. */
  list(query: ListAnalyticAlertsQuery = {}, options?: RequestOptions): PagePromise<Alert> {
    return this.#transport.list(path`/api/v1/analytics/alerts`, joinedQuery(query), options);
  }

  /** Create an alert. */
  create(body: CreateAlert, options?: RequestOptions & RepeatableOptions): ApiPromise<Alert> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/analytics/alerts`, body, options });
  }

  /** Get an alert. */
  get(id: string, options?: RequestOptions): ApiPromise<Alert> {
    return this.#transport.request({ method: 'GET', path: path`/api/v1/analytics/alerts/${id}`, options });
  }

  /** Update an alert. */
  update(id: string, body: UpdateAlert, options?: RequestOptions & ConditionalOptions): ApiPromise<Alert> {
    return this.#transport.request({ method: 'PATCH', path: path`/api/v1/analytics/alerts/${id}`, body, options });
  }

  /** Delete an alert. */
  delete(id: string, options?: RequestOptions & ConditionalOptions): ApiPromise<DeletedAlert> {
    return this.#transport.request({ method: 'DELETE', path: path`/api/v1/analytics/alerts/${id}`, options });
  }
}

export class Analytics {
  readonly fields: AnalyticFields;
  readonly prices: AnalyticPrices;
  readonly views: AnalyticViews;
  readonly alerts: AnalyticAlerts;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.fields = new AnalyticFields(transport);
    this.prices = new AnalyticPrices(transport);
    this.views = new AnalyticViews(transport);
    this.alerts = new AnalyticAlerts(transport);
  }

  /** Query figures about calls. */
  query(body: AnalyticsQuery, options?: RequestOptions): ApiPromise<AnalyticsResult> {
    return this.#transport.request({ method: 'POST', path: path`/api/v1/analytics/query`, body, options });
  }
}
