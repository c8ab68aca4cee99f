import { type Areas, createAreas } from './app-areas.ts';
import type { AppParts } from './app-parts.ts';
import { createAppServer } from './app-server.ts';
import type { Kernel } from './areas/area.ts';
import { createAccessTokens } from './core/access-token.ts';
import { createIdGenerator } from './core/ids.ts';
import { countInDatabase, countInMemory, removeEndedWindows } from './http/admission/rate-counts.ts';
import { allRateLimits, createRateLimiters } from './http/admission/rate-limits.ts';
import { createMediaUrls } from './http/media.ts';
import type { HttpServer } from './http/server.ts';
import { Lifecycle } from './http/shutdown.ts';
import { createJobQueue } from './jobs/queue.ts';
import { type ScheduledTask, startSchedule } from './jobs/schedule.ts';
import { JobWorker } from './jobs/worker.ts';
import { connectToPrimary } from './process/cluster.ts';
import { createRewriting } from './storage/documents/rewriting.ts';
import { createMediaPlace, type MediaPlace, mediaPlaceMs } from './storage/media-place.ts';
import { type OpenedMedia, openMedia } from './storage/open-media.ts';
import { RemovedContent } from './storage/removed-content.ts';
import { createSchemaWatch, schemaWatchMs } from './storage/schema-watch.ts';

export interface App {
  readonly server: HttpServer;
  /** Starts what runs beside the requests. The caller makes the server listen. */
  start(): void;
  /** Finishes work in progress and saves request counts. */
  close(): Promise<void>;
}

const defaultEmptyLogMs = 60_000;

/** Builds the service on a migrated database. */
export async function createApp(parts: AppParts): Promise<App> {
  const { database, logger, leaseMs } = parts;
  const { lifecycle = new Lifecycle(), isWorker = false, otherJobs = () => [] } = parts;
  const media = await openMedia(parts.mediaFolder, parts.mediaBucket ?? null);
  const kernel = createKernel(parts, media);
  const primary = isWorker ? connectToPrimary() : null;
  const isShared = database.dialect.engine === 'postgres';
  const rateLimiters = createRateLimiters(allRateLimits(parts.rateLimit, parts.rateLimits), (name, limit) =>
    isShared ? countInDatabase(database, name, limit) : (primary?.countsOf(name) ?? countInMemory(limit)),
  );
  // Its areas are built before the server that they are reached at.
  const ownAddress = (): string => ownAddressOf(server);
  const localCarrier =
    primary === null ? {} : { localCarrier: { open: primary.openLocalCarrier, close: async () => {} } };
  const schema = createSchemaWatch(database, logger);
  const mayClaim = (): boolean => lifecycle.stage === 'serving' && schema.isUsable();
  const created = createAreas(kernel, { ...localCarrier, ...parts }, { lifecycle, mayClaim, rateLimiters, ownAddress });
  const { areas, guard } = created;
  // Otherwise the first calls would not use the accounts of their workspaces.
  await created.loadProviders();
  const jobWorker = new JobWorker({
    queue: kernel.jobs,
    kinds: [...areas.flatMap((area) => area.jobs ?? []), ...otherJobs(kernel)],
    logger,
    mayClaim: ({ isLocal = false }) => (isLocal ? schema.isUsable() : mayClaim()),
    settings: leaseMs === undefined ? {} : { leaseMs },
  });
  // Processes on one SQLite file are those of one configuration.
  const mediaPlace = isShared ? createMediaPlace(kernel) : null;
  const server: HttpServer = await createAppServer(kernel, parts, {
    areas: created,
    jobWorker,
    lifecycle,
    rateLimiters,
    primary,
    mediaPlace,
  });
  let stopSchedule = async (): Promise<void> => {};
  return {
    server,
    start: () => {
      const watch = { name: 'check the schema of the database', everyMs: schemaWatchMs, run: schema.check };
      stopSchedule = startSchedule([watch, ...tasksOf(kernel, parts, created, mediaPlace)], logger);
      jobWorker.start();
      for (const { background } of areas) background?.start();
    },
    close: async () => {
      await Promise.all([server.close(), jobWorker.stop(), ...areas.map(({ background }) => background?.stop())]);
      await guard.close();
      await stopSchedule();
      for (const { contract, onClose } of areas) {
        // This state is not essential: an unavailable database is no reason to fail the shutdown.
        await onClose?.().catch(({ message }: Error) =>
          logger.warn({ area: contract.tag.name, err: { message } }, 'in-memory state could not be saved'),
        );
      }
      // What the calls have left to say is known only now.
      await parts.tracing?.close();
      await media.close();
    },
  };
}

/** How this machine reaches the service. */
function ownAddressOf(server: HttpServer): string {
  const { address, family, port } = server.address;
  const host = { '0.0.0.0': '127.0.0.1', '::': '127.0.0.1' }[address] ?? address;
  return `http://${family === 'IPv6' && host === address ? `[${host}]` : host}:${port}`;
}

function createKernel({ database, logger, sealer, now }: AppParts, media: OpenedMedia): Kernel {
  const clock = now ?? Date.now;
  const newId = createIdGenerator(clock);
  return {
    database,
    newId,
    now: clock,
    logger,
    // Without a clock of its own, it has that of the database.
    jobs: createJobQueue({ database, newId, sealer, now }),
    removedContent: new RemovedContent(database),
    media: media.store,
    spool: media.spool,
    mediaUrls: createMediaUrls(sealer.deriveEach('media'), clock),
    accessTokens: createAccessTokens(sealer.deriveEach('access-token')),
    sealer,
  };
}

/** The tasks of the areas and of the kernel. */
function tasksOf(
  kernel: Kernel,
  parts: AppParts,
  { areas, idempotency }: Areas,
  mediaPlace: MediaPlace | null,
): ScheduledTask[] {
  const { database, jobs, removedContent } = kernel;
  return [
    ...areas.flatMap((area) => area.tasks ?? []),
    {
      name: 'remove deleted content from the log of the database',
      everyMs: parts.emptyLogMs ?? defaultEmptyLogMs,
      run: async () => {
        await removedContent.emptyLog();
        return false;
      },
    },
    {
      name: 'upgrade stored documents',
      everyMs: 60_000,
      run: createRewriting(
        database,
        kernel.now,
        areas.flatMap((area) => area.documents ?? []),
      ),
    },
    { name: 'remove expired saved responses', everyMs: 60_000, run: idempotency.removeExpired },
    { name: 'remove finished jobs', everyMs: 60_000, run: jobs.removeFinished },
    ...(mediaPlace === null
      ? []
      : [
          { name: 'remove ended rate limit windows', everyMs: 300_000, run: () => removeEndedWindows(database) },
          {
            name: 'compare where media files are with other instances',
            everyMs: mediaPlaceMs,
            run: mediaPlace.compare,
          },
        ]),
  ];
}
