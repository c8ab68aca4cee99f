/**
 * `npm run generate`: writes the files generated from the contract, the pages of the dashboard, the turn machine, the
 * audio worklet and WebAssembly text; with `--check`, verifies that they are up to date.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resourceOperationsFile } from './cli-operations.ts';
import { dashboardFields } from './dashboard-fields.ts';
import { dashboardPaths } from './dashboard-paths.ts';
import { sdkNamespaces } from './sdk-namespaces.ts';
import { hasSameContent, packed, sdkPackageFiles } from './sdk-package.ts';
import { type OpenApiDocument, sdkTypes } from './sdk-types.ts';
import { sourceLists } from './source-lists.ts';
import { webAssemblySource } from './web-assembly.ts';
import { workletSource } from './worklet-source.ts';

const root = join(import.meta.dirname, '..');
const isCheck = process.argv.includes('--check');
for (const [name, text] of Object.entries(sourceLists(root))) put(name, formatted(name, text));

// After the lists that they are read through.
const { buildAsyncApi } = await import('../src/contract/documents/asyncapi.ts');
const { buildOpenApi } = await import('../src/contract/documents/openapi.ts');
const { contracts } = await import('../src/contract/index.ts');
const { settingsPatchType, settingsSchemas, withSettings } = await import('./agent-settings-types.ts');
const { withAnalyticsTables } = await import('./analytics-tables.ts');
const { withTurnTable } = await import('./turn-table.ts');
const openApi = buildOpenApi();
const document = openApi as unknown as OpenApiDocument;
const workletFile = 'sdk/src/web/worklet-source.ts';
const dotProducts = 'src/areas/knowledge/search/dot-products';
const operationsFile = 'src/cli/resources/operations.ts';
const fieldsFile = 'dashboard/src/pages/agent/contract-fields.ts';
const pathsFile = 'src/http/pages/dashboard-paths.ts';
const files: Record<string, string> = {
  'openapi.json': `${JSON.stringify(openApi, null, 2)}\n`,
  'asyncapi.json': `${JSON.stringify(buildAsyncApi(), null, 2)}\n`,
  'sdk/src/schema.ts': formatted(
    'sdk/src/schema.ts',
    `${sdkTypes(withSettings(document), settingsSchemas())}\n${settingsPatchType}`,
  ),
  'sdk/src/namespaces.ts': formatted('sdk/src/namespaces.ts', sdkNamespaces(root, contracts, document)),
  [workletFile]: formatted(workletFile, await workletSource(root)),
  [fieldsFile]: formatted(fieldsFile, dashboardFields(document)),
  [pathsFile]: formatted(pathsFile, dashboardPaths(root)),
  [operationsFile]: resourceOperationsFile(openApi),
  [`${dotProducts}.wasm.ts`]: formatted(`${dotProducts}.wasm.ts`, await webAssemblySource(root, `${dotProducts}.wat`)),
  'docs/analytics.md': withAnalyticsTables(readFileSync(join(root, 'docs/analytics.md'), 'utf8')),
  'docs/voice.md': withTurnTable(readFileSync(join(root, 'docs/voice.md'), 'utf8')),
};
for (const [name, wanted] of Object.entries(files)) put(name, wanted);

// After the others, which it contains.
const packageFile = join(root, 'sdk', 'built', 'voice-agent-sdk.tgz');
const sdkPackage = packed(sdkPackageFiles(root));
const isCurrent = existsSync(packageFile) && hasSameContent(readFileSync(packageFile), sdkPackage);
if (!isCheck) {
  if (!isCurrent) writeFileSync(packageFile, sdkPackage);
} else if (!isCurrent) notCurrent('sdk/built');

function put(name: string, wanted: string): void {
  const file = join(root, name);
  if (existsSync(file) && readFileSync(file, 'utf8') === wanted) return;
  if (!isCheck) writeFileSync(file, wanted);
  else notCurrent(name);
}

function notCurrent(name: string): void {
  process.stderr.write(`${name} is not current: run "npm run generate" and commit it.\n`);
  process.exitCode = 1;
}

function formatted(name: string, text: string): string {
  const biome = join(root, 'node_modules', '.bin', 'biome');
  const { status, stdout, stderr } = spawnSync(biome, ['format', `--stdin-file-path=${name}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name} cannot be formatted: ${stderr}`);
  return stdout;
}
